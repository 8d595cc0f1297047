import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c6", arrays["w_46e78149870d2ad5_8x3_int64"])
        self.w_c11 = arrays["w_364a170597f0433b_1x3x5_int64"]

    def forward(self, x0):
        v1 = x0.abs()
        v2 = x0 + v1
        v6 = torch.clip(v2, min=-3, max=-1)
        v4 = torch.clamp(v6, min=-2, max=2)
        v5 = torch.stack(torch.broadcast_tensors(v6, v2, v2)).amin(0)
        v10 = v2[self.w_c6]
        v14 = torch.full((1,), 1, dtype=torch.int64, device=x0.device)
        v9 = v10[:, v14]
        v11 = torch.gather(v10, 0, torch.remainder(self.w_c11, 8))
        v12 = v6.to(dtype=torch.int8)
        v13 = v10.reshape((1, 10, 6, 2, 1))
        return (v4, v5, v9, v11, v12, v13, v2,)
