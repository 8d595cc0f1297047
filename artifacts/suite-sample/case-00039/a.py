import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c1", arrays["w_75772a0893beeee9_1x3x3_float64"])
        self.w_c5 = arrays["w_600eb51707ad3d0a_3_float64"]

    def forward(self, x1):
        v3 = x1 == self.w_c1
        v4 = v3.logical_not_()
        v7 = x1.where(v4, self.w_c5.expand((15, 1, 3, 3)))
        v8 = v7.type(torch.float32)
        v9 = v8.to(dtype=torch.int32)
        v13 = v9.to(torch.int16)
        c11 = torch.full((), 1, dtype=torch.int16, device=x1.device)
        v15 = v13.sub(c11)
        v16 = torch.cumprod(x1, dim=-2, dtype=torch.float64)
        v18 = F.relu(v16)
        v17 = v18.neg_()
        return (v15, v17, v13,)
