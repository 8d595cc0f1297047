import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c26 = arrays["w_df3f619804a92fdb_scalar_int32"]
        self.register_buffer("w_c39", arrays["w_af5570f5a1810b7a_scalar_int64"])

    def forward(self, x1, x2, x5, x10):
        v5 = torch.broadcast_to(x2, (2, 1, 2, 32, 32))
        v6 = v5[1:2, :, :, :, :]
        v10 = torch.squeeze(v6, (0,))
        v3 = v10.amax(dim=(0, 2, 3), keepdim=True)
        v13 = torch.broadcast_to(v3, (2, 1, 2, 1, 1))
        v15 = v13.relu()
        v17 = v15[1:2, :, :, :, :]
        v4 = torch.squeeze(v17, (0,))
        v7 = v3.max(2, True)[0]
        v20 = F.pad(x5, (1, 2), 'constant', 0)
        v21 = F.pad(v20, (-1, -2), 'constant', 0)
        v23 = torch.full((7,), True, dtype=torch.bool, device=x1.device)
        v24 = v23.type(torch.int8)
        v25 = v24 * v24
        v26 = v25.to(dtype=torch.bool)
        v27 = v26.type(torch.int8)
        v28 = v24.mul(v27)
        v29 = v28.type(torch.bool)
        v31 = torch.bitwise_and(x1, x5)
        v33 = torch.where(v29, v31, self.w_c26)
        v9 = torch.bitwise_xor(v21, v33)
        v35, v36 = torch.median(x2, dim=2, keepdim=True)
        v37 = abs(v35)
        v12 = v37.copysign_(v35)
        v39, v12_1 = torch.median(v10, dim=2, keepdim=True)
        v41 = v27.mul(v27)
        v42 = v41.to(torch.bool)
        v43 = x10.reshape((7,))
        v45 = torch.where(v42, v43, self.w_c39.expand((7,)))
        v46 = v45.neg_()
        v47 = v46.sum(dtype=torch.int64)
        v14 = v47.neg()
        v16 = self.w_c39 > x10
        return (v4, v7, v4, v9, v12, v12_1, v14, v16, v3,)
