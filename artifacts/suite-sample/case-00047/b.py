import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c8", arrays["w_12a3ae445661ce5d_scalar_int64"])
        self.w_c22 = arrays["w_46e78149870d2ad5_8x3_int64"]
        self.register_buffer("w_c32", arrays["w_364a170597f0433b_1x3x5_int64"])

    def forward(self, x0):
        v1 = torch.abs(x0)
        v3 = x0 + v1
        v6 = F.pad(v3, (0, 0, 1, 2), value=0)
        v2 = v6[1:9, :]
        c5 = torch.full((), -3, dtype=torch.int64, device=x0.device)
        v10 = v2.lt(c5)
        v15 = v2.gt(self.w_c8)
        v16 = torch.where(v15, self.w_c8, v2)
        v17 = c5.where(v10, v16)
        c13 = torch.full((), -2, dtype=torch.int64, device=x0.device)
        v19 = v17 < c13.expand((8, 5))
        c16 = torch.full((), 2, dtype=torch.int64, device=x0.device)
        v21 = v17 > c16
        v22 = c16.expand((8, 5)).where(v21, v17)
        v4 = c13.where(v19, v22)
        v5 = torch.min(torch.min(v17, v2), v2)
        v25 = v3[self.w_c22]
        v26, v27, v28 = v25.split([1, 1, 3], dim=-1)
        v29 = torch.concat([v26, v27], -1)
        v30 = torch.cat((v29, v28,), dim=-1)
        v31 = torch.full((1,), 1, dtype=torch.int64, device=x0.device)
        v9 = v30[:, v31]
        v11 = v30.gather(0, torch.remainder(self.w_c32, 8))
        v12 = v17.to(dtype=torch.int8)
        v35 = v25.reshape((1, 10, 6, 2, 1))
        v36 = v35[:, :, :, 0:1:2, :]
        v37 = v35[:, :, :, 1:2:2, :]
        v38 = torch.stack((v36, v37,), dim=-2)
        v13 = v38.reshape((1, 10, 6, 2, 1))
        return (v4, v5, v9, v11, v12, v13, v2,)
