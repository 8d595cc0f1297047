import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x2, x9, x10, x12):
        v6 = torch.cos(x0)
        v9 = v6 * x2
        v10 = torch.true_divide(x2, v9)
        v11 = v10.floor()
        v7 = v11.neg()
        v8 = v10.softmax(-2)
        v16 = x9 + x10
        v13 = torch.gt(v16, x12)
        v14 = v10.atan()
        return (v7, v8, v13, v14,)
