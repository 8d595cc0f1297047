import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x12):
        v4 = torch.amax(x0, dim=(1, 2, 3), keepdim=True)
        c2 = torch.full((), 0.0, dtype=torch.float16, device=x0.device)
        v6 = c2.expand((3, 1, 1, 1)).sub(v4)
        v8, v10, v12 = self.part(v4)
        v11 = torch.permute(v8, (2, 0, 3, 1))
        v15 = v10 + v12
        v16 = x12.add(v15)
        v14 = torch.clamp(v16, max=3.0)
        return (v6, v11, v14, v4,)

    def part(self, v4):
        v8 = v4.sub(v4)
        v10 = v8 ** 0.5
        v12 = v10.max(0, True)[0]
        return (v8, v10, v12,)
