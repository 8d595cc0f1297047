import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x8):
        v2 = x0.min(1, False)[0]
        v5, v13 = self.around()(v2, x0, x8)
        v6 = torch.clamp(v5, min=-2.0, max=2.0)
        v15 = torch.sum(v13, dim=(1,), keepdim=True, dtype=torch.float32)
        v14 = torch.div(v13, v15.expand((16, 7)))
        return (v6, v14,)

    def around(self):
        def part(v2, x0, x8):
            v3 = v2.unsqueeze(1)
            v5 = torch.stack(torch.broadcast_tensors(x0, v3)).amax(0)
            c7 = torch.full((), 0.0, dtype=torch.float32, device=v2.device)
            v9 = torch.stack(torch.broadcast_tensors(v5, c7, x8, x8)).amax(0)
            v10 = torch.amax(v9, dim=(1,), keepdim=False).reshape((16, 1))
            v12 = v9.sub(v10)
            v13 = torch.exp(v12)
            return (v5, v13,)

        return part
