import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c11 = arrays["w_a586bb0d01150043_15x15x7_float32"]
        self.w_c22 = torch.nn.Parameter(arrays["w_af5570f5a1810b7a_scalar_float64"], requires_grad=False)
        self.register_buffer("w_c34", arrays["w_b4cd0bf0cc8a95d3_1x16_float64"])
        self.w_v26 = arrays["w_9e132485d5107211_5x16_float64"]

    def forward(self, x0, x2, x5, x9, x17):
        v5 = x5 > x5
        v7 = x5.where(v5, x5)
        v8 = torch.min(x5, v7)
        v6 = torch.rot90(v8, 3, (1, 0))
        v12 = abs(x2)
        v13 = torch.copysign(v12, x2)
        v14 = v13.le(self.w_c11)
        v15 = x9[0:7]
        v10 = v15.where(v14, v13)
        v20 = x0[0:3, :]
        v21, v22 = x0.split([3, 2], dim=0)
        v23 = v22[0:2, :]
        v24 = torch.cat((v20, v23))
        v25 = v24.mT
        v27 = torch.gt(v24, self.w_c22)
        v28 = v27.double()
        v29 = torch.t(v28)
        v30 = v25.mul(v29)
        v31 = v30.t()
        v32, v33 = v31.min(1)
        v11 = torch.sum(torch.abs(v33))
        v35 = torch.full((16, 16), 3.0, dtype=torch.float64, device=x0.device)
        v36 = 1.0 * self.w_c34 + 1.0 * (x0 @ v35)
        v37 = torch.neg(v36)
        v38 = v37.maximum(self.w_c22.expand((5, 16)))
        v39 = v38[0:3, :]
        v40 = 1.0 * self.w_c34 + 1.0 * (v24 @ v35)
        v41 = v40.neg_()
        v42 = v41 > self.w_c22
        v44 = torch.split(v42, [3, 2])[1]
        v46 = torch.split(v41, [3, 2])[1]
        v47, v48 = self.w_v26.split([3, 2])
        v49 = v46.where(v44, v48)
        v16 = torch.concat([v39, v49], 0)
        v51 = x17.to(dtype=torch.int64)
        v52 = v51.to(torch.uint8)
        local_1 = torch.empty((5,), dtype=torch.int64, device=v52.device)
        local_1[...].copy_(v52)
        v53 = local_1
        v54 = v53.reshape((1, 5, 1, 1))
        v18 = v54.type(torch.uint8)
        return (v6, v10, v11, v16, v18,)
