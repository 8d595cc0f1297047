import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x10, x13, c6):
        v3 = x0.max(0, False)[0]
        v4 = v3.expand((3,))
        v5 = x0 - v3
        v11 = v5.reshape(3, 1).scatter_reduce(0, (torch.remainder(c6[..., 0], 3) * 1).reshape(-1, 1).expand(-1, 1), x10.reshape(-1, 1), reduce='amin').reshape((3,))
        v8 = v3.sub(v4)
        v9 = v5.sub(v3)
        v16 = v8 < v9
        v12 = v5.sub(x13)
        v18 = torch.count_nonzero(v12, dim=(0,))
        v14 = torch.sum(v9, dim=(0,), keepdim=True, dtype=torch.int64)
        v19 = v14.sub(v14)
        return (v11, v16, v18, v19, v8,)
