import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c11 = arrays["w_b5628088dc081b3f_5x7_float32"]

    def forward(self, x1, x2, x6, x9, x16):
        v5 = x1.outer(x2)
        v4, v4_1 = torch.sort(v5, dim=0, descending=True, stable=True)
        v7 = torch.special.xlogy(v5, x6)
        v11 = torch.permute(v5, (0, 1))
        v12 = 0.30000001192092896 * self.w_c11 + 1.0 * (v11.t() @ x9)
        v13, v14 = torch.split(v12, [2, 5], dim=1)
        v16 = torch.concat([v13, v14], 1)
        v15 = torch.mm(v12.t(), v16)
        v17 = torch.cat((v16, x16,), dim=0)
        v18 = v12.permute((0, 1))
        return (v4, v4_1, v7, v15, v17, v18,)
