import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c5", arrays["w_5e478c91d560d796_1x4x4x1_int8"])

    def forward(self, x0):
        v1 = x0.relu()
        v2 = torch.clip(v1, min=0)
        c3 = torch.full((), 3, dtype=torch.int8, device=x0.device)
        v4 = v2.maximum(c3)
        v6 = torch.slice_scatter(v4, self.w_c5, 0, 0, 1, 1)
        v7 = torch.argmin(v4, dim=3, keepdim=False)
        v8 = torch.stack(torch.broadcast_tensors(v6, v4)).amax(0)
        v9 = v4.expand((2, 4, 4, 4, 2))
        v10 = torch.clamp(v6, max=5)
        v11 = torch.relu(v10)
        v12 = torch.clamp(v11, min=5)
        return (v7, v8, v9, v12,)
