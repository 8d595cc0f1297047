import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_5e478c91d560d796_1x4x4x1_int8"]

    def forward(self, x0):
        v7, v8, v9, v12 = self.around(x0)
        return (v7, v8, v9, v12,)

    def around(self, x0):
        return self.part(x0)

    def part(self, x0):
        v1 = F.relu(x0)
        v2 = torch.clamp(v1, min=0)
        c3 = torch.full((), 3, dtype=torch.int8, device=x0.device)
        v4 = torch.stack(torch.broadcast_tensors(v2, c3)).amax(0)
        v6 = v4.slice_scatter(self.w_c5, 0, 0, 1, 1)
        v7 = torch.min(v4, dim=3, keepdim=False).indices
        v8 = v6.maximum(v4)
        v9 = torch.broadcast_to(v4, (2, 4, 4, 4, 2))
        v10 = torch.clip(v6, max=5)
        v11 = v10.relu()
        v12 = torch.clamp(v11, min=5)
        return (v7, v8, v9, v12,)
