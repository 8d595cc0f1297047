import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c3 = arrays["w_e8338cf094a30add_17x8_int32"]
        self.w_c14 = arrays["w_e6b67d1900846914_5x8_int32"]

    def forward(self, x0, x4, x8):
        v4 = x0.mul(self.w_c3)
        v5 = torch.cat((v4, v4,), dim=1)
        v6 = v5[:, 8:16]
        v7 = v6.type(torch.int8)
        v8 = x4.add(x4)
        v10 = v8.bitwise_not_()
        v11 = v10 + x4
        v13 = torch.bitwise_not(v11)
        c12 = torch.full((), 0, dtype=torch.int8, device=x0.device)
        v17 = torch.matmul((v7.to(torch.int32) - c12.to(torch.int32)), v13.to(torch.int32))
        v12 = x0.expand((17, 8)).addmm(v17, self.w_c14, beta=2, alpha=1)
        v19 = torch.full((8,), 0, dtype=torch.int8, device=x0.device)
        v20 = torch.bitwise_not(v19)
        v22 = torch.full((17, 8), 0, dtype=torch.int8, device=x0.device)
        v23 = v22.bitwise_not()
        v24 = v7.permute((1, 0))
        v25 = torch.swapaxes(v24, 0, 1)
        v26 = torch.clamp(v25, min=0)
        v27 = torch.swapaxes(v26, 0, 1)
        v28 = v27.t()
        v29 = v23 + v28
        v30 = torch.bitwise_not(v29)
        v31 = v30.amin(dim=(0,), keepdim=False)
        v32 = v20.add(v31)
        v14 = ~v32
        v34 = ~v7
        v35 = x8.bitwise_not()
        v36 = torch.add(v35, 0)
        v37 = v36.bitwise_not_()
        v38 = v37.bitwise_not()
        v39 = torch.add(v38, 0)
        v40 = torch.broadcast_to(v39, (17, 8))
        v41 = ~v40
        v42 = torch.add(v34, v41)
        v9 = torch.bitwise_not(v42)
        v44 = v9.to(torch.float64)
        v15 = torch.stack((v44, v44,), dim=0)
        v16 = F.silu(v44, inplace=False)
        return (v12, v14, v15, v16, v9,)
