import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_6c3c396ed6b5c36d_scalar_float64"]

    def forward(self, x2, x3, c15):
        v4 = torch.gt(x3, 128)
        v6 = self.w_c5 == x2
        v7, v7_1 = torch.split(x3, [3, 2], dim=3)
        v9 = torch.clamp(x2, min=0.0, max=2.0)
        v10, v10_1 = v7_1.split([3, 2])
        v12 = torch.gt(v9, v9)
        v13 = torch.permute(v7, (4, 2, 1, 0, 3))
        v14 = x3.argmax(4, True)
        v16 = torch.max(v13, c15)
        v17 = torch.mul(v13, v16)
        return (v4, v6, v10, v10_1, v12, v14, v17, v7_1, v16,)
