import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x2, x9, x10, x12):
        v6 = x0.cos()
        v9 = torch.mul(v6, x2)
        v10 = x2.div(v9)
        v11 = v10.floor()
        v7 = torch.neg(v11)
        v8 = torch.softmax(v10, dim=1)
        v16 = x9.add(x10)
        v13 = torch.gt(v16, x12)
        v14 = torch.atan(v10)
        return (v7, v8, v13, v14,)
