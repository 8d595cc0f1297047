import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x8):
        v2 = x0.min(1, False)[0]
        v3 = torch.reshape(v2, (16, 1))
        v5 = torch.stack(torch.broadcast_tensors(x0, v3.expand((16, 7)))).amax(0)
        v6 = torch.clip(v5, min=-2.0, max=2.0)
        c7 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v9 = v5.maximum(c7).maximum(x8).maximum(x8)
        v10 = torch.max(v9, dim=1, keepdim=True).values
        v12 = v9.sub(v10)
        v13 = v12.exp_()
        v15 = v13.sum(dim=(1,), keepdim=True, dtype=torch.float32)
        v14 = v13.div(v15)
        return (v6, v14,)
