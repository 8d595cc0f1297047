import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c5", arrays["w_280089037464a10e_16_int32"])
        self.register_buffer("w_c9", arrays["w_8843c68b7a13a93f_2x16_int32"])
        self.w_c29 = arrays["w_daed145f5694a2a8_7x5_float32"]

    def forward(self, x1, x10, x12, x20, x23):
        v7 = torch.full((16,), 4, dtype=torch.int32, device=x1.device)
        v8 = v7.unsqueeze(0)
        v10 = x1 @ self.w_c9
        v12 = torch.concat([v10, v10], 0)
        v13, v14 = torch.split(v12, [16, 16], dim=0)
        v15 = torch.reshape(v14, (1, 16))
        v16 = v8.mul(v15)
        v18 = torch.squeeze(v16, (0,))
        v19 = torch.add(self.w_c5, v18)
        v20 = x10[0:1]
        v23 = torch.reshape(v20, ())
        v24 = x10.select_scatter(v23, 0, 0)
        v11 = v19.add(v24)
        v28 = x12.unsqueeze(1)
        v29 = torch.squeeze(v28, (1,))
        c22 = torch.full((), 0.5, dtype=torch.float32, device=x1.device)
        v30 = c22.mul(v29)
        v31 = torch.full((4, 5), 1.0, dtype=torch.float32, device=x1.device)
        v32 = 0.5 * self.w_c29 + 1.0 * (v30.t() @ v31)
        v17 = torch.atanh(v32)
        v34 = v32.relu()
        c33 = torch.full((), -1.0, dtype=torch.float32, device=x1.device)
        v36 = c33.mul(v32)
        v37 = v36.relu()
        v38 = torch.add(v34, v37)
        v21 = x20.mul(v38)
        v22 = torch.clip(v32, min=0.0, max=3.0)
        v41 = F.pad(x23, (1, 2, 0, 0), value=0.0)
        v42 = v41[:, 1:17]
        c42 = torch.full((), 1.9965101480484009, dtype=torch.float32, device=x1.device)
        v25 = torch.addmm(c42, v32.t(), v42, beta=0.5, alpha=1.0)
        return (v11, v17, v21, v22, v25,)
