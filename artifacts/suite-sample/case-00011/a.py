import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c3 = arrays["w_c44ad0951d605990_5x3_int64"]

    def forward(self, x0, x1, x3):
        v4 = x1.reshape(924, 1).scatter_reduce(0, (torch.remainder(self.w_c3[..., 0], 4) * 231 + torch.remainder(self.w_c3[..., 1], 7) * 33 + torch.remainder(self.w_c3[..., 2], 33) * 1).reshape(-1, 1).expand(-1, 1), x3.reshape(-1, 1), reduce='prod').reshape((4, 7, 33))
        v5 = x1.tan()
        v8 = torch.maximum(torch.maximum(x0, x0), x0)
        v9 = v8 - v8
        c8 = torch.full((), 1.4142135381698608, dtype=torch.float32, device=x0.device)
        v11 = torch.div(v9, c8)
        v12 = torch.erf(v11)
        v14 = v12.add_(1.0)
        v17 = torch.mul(v9, v14)
        v15 = v17.mul_(0.5)
        v16 = x3.hardshrink(0.5)
        return (v4, v5, v15, v16,)
