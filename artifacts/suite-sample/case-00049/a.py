import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c3 = arrays["w_98943a37fab08b40_4x1_int8"]

    def forward(self, x1, x8, x9):
        v7 = self.w_c3 | x1
        v8 = torch.sum(x9, dim=(0,), keepdim=True, dtype=torch.float64)
        v14 = torch.mean(v8, dim=(0,), keepdim=True).squeeze((0,))
        v11 = torch.divide(x1, -2, rounding_mode='trunc')
        v4 = v11.mul(-2)
        v13 = torch.argmax(v4, dim=0, keepdim=True)
        v15 = torch.argmax(v13, dim=1, keepdim=False)
        v16 = torch.mean(x8, dim=(0, 2), keepdim=False)
        return (v7, v14, v15, v16, v4,)
