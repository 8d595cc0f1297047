import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c26", arrays["w_df3f619804a92fdb_scalar_int32"])
        self.register_buffer("w_v23", arrays["w_c36336f242c655c5_7_bool"])

    def forward(self, x1, x2, x5, x10):
        v5 = x2.expand((2, 1, 2, 32, 32))
        v6 = v5[1:2, :, :, :, :]
        v10 = v6.reshape((1, 2, 32, 32))
        v3 = v10.amax(dim=(0, 2, 3), keepdim=True)
        v13 = v3.expand((2, 1, 2, 1, 1))
        v15 = torch.relu(v13)
        v17 = v15[1:2, :, :, :, :]
        v4 = v17.reshape((1, 2, 1, 1))
        v7 = torch.amax(v3, dim=(2,), keepdim=True)
        v20 = F.pad(x5, (1, 2), value=0)
        v21 = F.pad(v20, (-1, -2), value=0)
        v24 = self.w_v23.to(torch.int8)
        v25 = v24 * v24
        v26 = v25.to(torch.bool)
        v27 = v26.to(torch.int8)
        v28 = v24.mul(v27)
        v29 = v28.to(torch.bool)
        v31 = x1 & x5
        v33 = v31.where(v29, self.w_c26)
        v9 = torch.bitwise_xor(v21, v33)
        v35, v36 = torch.median(x2, dim=-2, keepdim=True)
        v37 = v35.abs()
        v12 = v37.copysign(v35)
        v39, v12_1 = torch.median(v10, dim=-2, keepdim=True)
        v41 = torch.mul(v27, v27)
        v42 = v41.to(torch.bool)
        v43 = x10.reshape((7,))
        c39 = torch.full((), 0, dtype=torch.int64, device=x1.device)
        v45 = v43.where(v42, c39)
        v46 = torch.neg(v45)
        v47 = v46.sum(dim=(0,), keepdim=False, dtype=torch.int64)
        v14 = v47.neg()
        v16 = torch.gt(c39, x10)
        return (v4, v7, v4, v9, v12, v12_1, v14, v16, v3,)
