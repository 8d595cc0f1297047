import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c19 = arrays["w_35be322d094f9d15_scalar_int64"]
        self.register_buffer("w_c22", arrays["w_af5570f5a1810b7a_scalar_int64"])
        self.w_c35 = arrays["w_43e6b2a909c4fb68_2x16x33x1_int64"]

    def forward(self, x0, x2, x11, x16):
        v4 = torch.stack((x0, x0,), dim=3)
        v5 = torch.stack((v4, x2,), dim=0)
        c6 = torch.full((), 0, dtype=torch.int64, device=x0.device)
        v9 = torch.gt(v5, c6)
        v10 = v9.type(torch.int64)
        v11 = torch.abs(v5)
        v12 = torch.mul(v10, v11)
        v13 = torch.gt(c6.expand((2, 2, 16, 33, 2)), v5)
        v17 = v13.mul(v11)
        v3 = v12.sub_(v17)
        v20, v21 = x2.split([1, 1], dim=3)
        v22 = v20 + v21
        v24 = torch.bitwise_xor(v22, self.w_c19)
        v26 = v24.bitwise_xor(self.w_c22)
        v27 = v26.bitwise_or(self.w_c22)
        v28 = torch.bitwise_and(v26, self.w_c22)
        v29 = ~v28
        v30 = torch.bitwise_and(v27, v29)
        v8 = v30.eq(self.w_c22)
        v32 = x11.expand((2, 16, 2))
        v33 = -v32
        v34 = v33[1:2, :, :]
        v35 = torch.squeeze(v34, (0,))
        v14 = torch.neg(v35)
        v37 = torch.stack(torch.broadcast_tensors(v20, self.w_c35)).amin(0)
        v38 = torch.stack(torch.broadcast_tensors(v21, v37)).amax(0)
        v39 = torch.gt(v38, self.w_c22)
        v41 = v38.abs()
        v42 = torch.mul(v39, v41)
        v43 = self.w_c22.gt(v38)
        v44 = v43.type(torch.int64)
        v45 = torch.mul(v44, v41)
        v15 = v42.sub_(v45)
        c46 = torch.full((), -2.0, dtype=torch.float64, device=x0.device)
        v47 = torch.addmm(c46, x11.t(), x16.t(), beta=2.0, alpha=2.0)
        v48 = F.pad(v47.reshape((1, 2, 1)), (2, 1), mode='replicate').reshape((2, 4))
        v18 = v48[:, 2:3]
        v50 = v21[[0, 0, 0, 1, 1]]
        v4_1 = v50[2:4, :, :, :]
        return (v3, v8, v14, v15, v18, v4_1,)
