import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x1):
        v2 = x1 * F.hardsigmoid(x1)
        v3 = v2.floor()
        v7 = v3.neg()
        c5 = torch.full((), 4, dtype=torch.int8, device=x0.device)
        v8 = x0.remainder(c5)
        v10 = v8.sub(4)
        v13 = x1.min(0, True)[0].squeeze((0,))
        v14 = torch.reshape(v13, (1, 3))
        v16 = x1.add(v14)
        v11 = torch.eq(v16, x1)
        v12 = v3 - v3
        return (v7, v10, v11, v12,)
