import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x10, x13, c10):
        v3 = torch.tile(x0, [2])
        v4 = v3[3:6]
        v5 = torch.neg(v4)
        v6 = v5.min(0, False)[0]
        v7 = v6.expand((3,))
        v8 = v7.neg()
        v9 = torch.sub(v4, v8)
        v12 = torch.tile(x10, [2])
        v13 = v12[2:4]
        v11 = v9.reshape(3, 1).scatter_reduce(0, (torch.remainder(c10[..., 0], 3) * 1).reshape(-1, 1).expand(-1, 1), v13.reshape(-1, 1), reduce='amin').reshape((3,))
        v15 = -v6
        v17 = v15.sub(v15)
        v21 = v9 - v8
        v16 = v17 < v21
        v23 = v9 - x13
        v18 = torch.count_nonzero(v23, dim=(0,))
        v25, v26 = torch.split(v21, [2, 1], dim=-1)
        v27, v28 = torch.chunk(v25, 2, dim=-1)
        v29 = v27.sum(dtype=torch.int64).reshape((1,))
        v30 = torch.sum(v28, dim=(0,), keepdim=True, dtype=torch.int64)
        v31 = v29.add(v30)
        v32 = torch.sum(v26, dim=(0,), keepdim=True, dtype=torch.int64)
        v33 = v31.add_(v32)
        v19 = v33 - v33
        return (v11, v16, v18, v19,)
