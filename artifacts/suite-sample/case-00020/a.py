import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x1, x2, x5, x10):
        v3 = x2.amax(dim=(0, 2, 3), keepdim=True)
        v4 = v3.relu()
        v7 = v3.max(2, True)[0]
        v13 = x1 & x5
        v9 = torch.bitwise_xor(x5, v13)
        v12, v12_1 = x2.median(dim=2, keepdim=True)
        v19 = x10.reshape((7,))
        v14 = torch.sum(v19, dim=(0,), keepdim=False, dtype=torch.int64)
        c14 = torch.full((), 0, dtype=torch.int64, device=x1.device)
        v16 = c14 > x10
        return (v4, v7, v4, v9, v12, v12_1, v14, v16, v3,)
