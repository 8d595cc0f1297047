import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x1, c6):
        v2 = torch.hardshrink(x1, 0.0)
        v4 = F.hardshrink(v2, 1.0)
        v5 = torch.full((2,), 0, dtype=torch.int64, device=x0.device)
        v7 = torch.index_add(x1, 0, v5, c6, alpha=2.0)
        v8 = torch.flipud(x0)
        c9 = torch.full((), 0.0, dtype=torch.float64, device=x0.device)
        v16 = x1 * c9
        v12 = v16.neg()
        v13 = v16.type(torch.uint8)
        v14 = F.tanhshrink(x1)
        v15 = torch.round(x1)
        v17 = c9 ** v16
        return (v4, v7, v8, v12, v13, v14, v15, v17,)
