import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x1):
        c2 = torch.full((), 4, dtype=torch.int64, device=x0.device)
        v4 = x0.remainder(c2)
        v5 = v4 * 4
        v9, v10, v17 = self.around()(x1)
        return (v5, v9, v10, v17,)

    def around(self):
        def part(x1):
            v7, v8 = torch.split(x1, [4, 3], dim=-1)
            c8 = torch.full((), 0.0, dtype=torch.float64, device=x1.device)
            v9 = v8 + c8.expand((7, 5, 7, 3))
            v10 = v8.isinf()
            v14 = v7[4:5:3, 4:5:2, :, :]
            v15 = v14.permute((0, 1, 3, 2))
            v16 = v14 @ v15
            c15 = torch.full((), 2.0, dtype=torch.float64, device=x1.device)
            v19 = torch.div(v16, c15)
            v17 = v19.softmax(-1)
            return (v9, v10, v17,)

        return part
