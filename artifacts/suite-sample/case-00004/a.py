import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c15 = torch.nn.Parameter(arrays["w_3f710ac088db3336_scalar_float64"], requires_grad=False)

    def forward(self, x0, x1):
        c2 = torch.full((), 4, dtype=torch.int64, device=x0.device)
        v4 = x0 % c2
        v5 = torch.mul(v4, 4)
        v7, v8 = torch.split(x1, [4, 3], dim=3)
        v9 = v8.add(0.0)
        v10 = v8.isinf()
        v14 = v7[4:5:3, 4:5:2, :, :]
        v15 = v14.permute((0, 1, 3, 2))
        v16 = v14 @ v15
        v19 = torch.true_divide(v16, self.w_c15)
        v17 = v19.softmax(3)
        return (v5, v9, v10, v17,)
