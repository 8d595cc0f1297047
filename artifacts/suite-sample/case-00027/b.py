import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c3", arrays["w_e8338cf094a30add_17x8_int32"])
        self.w_c14 = arrays["w_e6b67d1900846914_5x8_int32"]

    def forward(self, x0, x4, x8, v19, v22):
        v4 = x0.mul(self.w_c3)
        v5 = torch.cat((v4, v4,), dim=-1)
        v6 = v5[:, 8:16]
        v7 = v6.type(torch.int8)
        v8 = torch.add(x4, x4)
        v10 = v8.bitwise_not_()
        v11 = v10.add_(x4)
        v13 = torch.bitwise_not(v11)
        c12 = torch.full((), 0, dtype=torch.int8, device=x0.device)
        v17 = (v7.to(torch.int32) - c12.to(torch.int32)) @ v13.to(torch.int32)
        v12 = x0.expand((17, 8)).addmm(v17, self.w_c14, beta=2, alpha=1)
        v20 = v19.bitwise_not()
        v23 = ~v22
        v24 = v7.t()
        v25 = torch.swapaxes(v24, 0, 1)
        v26 = v25.relu()
        v27 = v26.mT
        v28 = torch.swapaxes(v27, 0, 1)
        v29 = v23 + v28
        v30 = v29.bitwise_not_()
        v31 = v30.min(0, False)[0]
        v32 = v20 + v31
        v14 = v32.bitwise_not()
        v34 = ~v7
        v35 = ~x8
        v36 = torch.add(v35, 0)
        v37 = ~v36
        v38 = ~v37
        v39 = v38.add_(0)
        v40 = torch.broadcast_to(v39, (17, 8))
        v41 = torch.bitwise_not(v40)
        v42 = torch.add(v34, v41)
        v9 = v42.bitwise_not_()
        v44 = v9.type(torch.float64)
        v15 = torch.stack((v44, v44,), dim=-3)
        v16 = F.silu(v44)
        return (v12, v14, v15, v16, v9,)
