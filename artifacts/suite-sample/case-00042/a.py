import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c7 = torch.nn.Parameter(arrays["w_03e3c2420f5066a5_scalar_float32"], requires_grad=False)
        self.register_buffer("w_c12", arrays["w_3ab1561d6e88a4f2_3x7x5x1_uint8"])

    def forward(self, x2):
        v1 = torch.log_softmax(x2, dim=-3)
        v2 = F.interpolate(v1, size=(15, 4), mode='nearest')
        v12 = torch.min(v2, dim=3, keepdim=True).values
        v5 = torch.full((2, 1), 3.0, dtype=torch.float32, device=x2.device)
        v6 = F.linear(x2, v5.t())
        v7 = v6.div(self.w_c7)
        v10 = torch.clamp(0.20000000298023224 * v7 + 0.5, 0, 1)
        v11 = v10.to(dtype=torch.uint8)
        v14 = torch.divide(v11, self.w_c12, rounding_mode='trunc')
        v16 = v2.atan()
        v15 = torch.permute(v16, (3, 0, 1, 2))
        return (v12, v14, v15, v7,)
