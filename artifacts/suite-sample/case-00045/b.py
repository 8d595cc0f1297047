import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c10", arrays["w_0c730b69905c5ef7_2x1_int64"])

    def forward(self, x0, x10, x13):
        v3 = torch.tile(x0, [2])
        v4 = v3[3:6]
        v5 = torch.neg(v4)
        v6 = v5.min()
        v7 = v6.expand((3,))
        v8 = torch.neg(v7)
        v9 = v4 - v8
        v12 = torch.tile(x10, [2])
        v13 = v12[2:4]
        v11 = v9.reshape(3, 1).scatter_reduce(0, (torch.remainder(self.w_c10[..., 0], 3) * 1).reshape(-1, 1).expand(-1, 1), v13.reshape(-1, 1), reduce='amin').reshape((3,))
        v15 = torch.neg(v6)
        v17 = v15 - v15
        v21 = torch.sub(v9, v8)
        v16 = v17 < v21
        v23 = v9.sub(x13)
        v18 = torch.count_nonzero(v23, dim=(0,))
        v25, v26 = v21.split([2, 1], dim=0)
        v27, v28 = torch.split(v25, [1, 1], dim=0)
        v29 = torch.sum(v27, dim=(0,), keepdim=True, dtype=torch.int64)
        v30 = v28.sum(dim=(0,), keepdim=True, dtype=torch.int64)
        v31 = torch.add(v29, v30)
        v32 = v26.sum(dim=(0,), keepdim=True, dtype=torch.int64)
        v33 = v31.add(v32)
        v19 = v33.sub(v33)
        return (v11, v16, v18, v19,)
