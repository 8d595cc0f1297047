import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_74d323611439a39d_scalar_int64"]
        self.register_buffer("w_c22", arrays["w_46e78149870d2ad5_8x3_int64"])
        self.w_c32 = arrays["w_364a170597f0433b_1x3x5_int64"]

    def forward(self, x0):
        v1 = x0.abs()
        v3 = torch.add(x0, v1)
        v6 = F.pad(v3, (0, 0, 1, 2), 'constant', 0)
        v2 = v6[1:9, :]
        v10 = torch.lt(v2, self.w_c5.expand((8, 5)))
        c8 = torch.full((), -1, dtype=torch.int64, device=x0.device)
        v15 = torch.gt(v2, c8)
        v16 = c8.where(v15, v2)
        v17 = torch.where(v10, self.w_c5, v16)
        c13 = torch.full((), -2, dtype=torch.int64, device=x0.device)
        v19 = v17.lt(c13)
        c16 = torch.full((), 2, dtype=torch.int64, device=x0.device)
        v21 = torch.gt(v17, c16)
        v22 = torch.where(v21, c16, v17)
        v4 = torch.where(v19, c13, v22)
        v5 = torch.stack(torch.broadcast_tensors(v17, v2, v2)).amin(0)
        v25 = v3[self.w_c22]
        v26, v27, v28 = v25.split([1, 1, 3], dim=2)
        v29 = torch.concat([v26, v27], 2)
        v30 = torch.cat((v29, v28,), dim=2)
        v31 = torch.full((1,), 1, dtype=torch.int64, device=x0.device)
        v9 = v30[:, v31]
        v11 = torch.gather(v30, 0, torch.remainder(self.w_c32, 8))
        v12 = v17.to(dtype=torch.int8)
        v35 = v25.reshape((1, 10, 6, 2, 1))
        v36 = v35[:, :, :, 0:1:2, :]
        v37 = v35[:, :, :, 1:2:2, :]
        v38 = torch.stack((v36, v37,), dim=4)
        v13 = v38.reshape((1, 10, 6, 2, 1))
        return (v4, v5, v9, v11, v12, v13, v2,)
