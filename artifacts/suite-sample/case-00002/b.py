import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c35", arrays["w_43e6b2a909c4fb68_2x16x33x1_int64"])

    def forward(self, x0, x2, x11, x16):
        v4 = torch.stack((x0, x0,), dim=-1)
        v5 = torch.stack((v4, x2,), dim=-5)
        c6 = torch.full((), 0, dtype=torch.int64, device=x0.device)
        v9 = v5.gt(c6)
        v10 = v9.to(dtype=torch.int64)
        v11 = abs(v5)
        v12 = v10.mul(v11)
        v13 = c6.expand((2, 2, 16, 33, 2)) > v5
        v16 = v13.to(torch.int64)
        v17 = v16 * v11
        v3 = v12.sub(v17)
        v20, v21 = torch.split(x2, [1, 1], dim=-1)
        v22 = v20.add(v21)
        c19 = torch.full((), 3, dtype=torch.int64, device=x0.device)
        v24 = v22 ^ c19
        c22 = torch.full((), 0, dtype=torch.int64, device=x0.device)
        v26 = v24 ^ c22
        v27 = v26.bitwise_or(c22.expand((2, 16, 33, 1)))
        v28 = v26 & c22
        v29 = v28.bitwise_not_()
        v30 = v27.bitwise_and(v29)
        v8 = torch.eq(v30, c22)
        v32 = x11.expand((2, 16, 2))
        v33 = -v32
        v34 = v33[1:2, :, :]
        v35 = torch.squeeze(v34, (-3,))
        v14 = -v35
        v37 = torch.stack(torch.broadcast_tensors(v20, self.w_c35)).amin(0)
        v38 = torch.max(v21, v37)
        v39 = v38.gt(c22)
        v40 = v39.type(torch.int64)
        v41 = torch.abs(v38)
        v42 = torch.mul(v40, v41)
        v43 = c22 > v38
        v44 = v43.type(torch.int64)
        v45 = v44 * v41
        v15 = v42 - v45
        c46 = torch.full((), -2.0, dtype=torch.float64, device=x0.device)
        v47 = 2.0 * c46 + 2.0 * (x11.t() @ x16.t())
        v48 = v47[:, [0, 0, 0, 0]]
        v18 = v48[:, 2:3]
        v50 = v21[[0, 0, 0, 1, 1]]
        v4_1 = v50[2:4, :, :, :]
        return (v3, v8, v14, v15, v18, v4_1,)
