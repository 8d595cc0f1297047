import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c8", arrays["w_b75b03a503bd8699_2x1_float32"])
        self.register_buffer("w_c10", arrays["w_5527d5c4308ffe2d_2x7_float32"])
        self.register_buffer("w_c21", arrays["w_eebb6d447aee1add_7x1_float32"])

    def forward(self, x0, x1, x10, x16):
        v4 = torch.concat([x0, x0, x1], 1)
        v6 = v4[0:1, :]
        v8 = v4[1:2, :]
        v2 = torch.cat((v6, v8,), dim=0)
        v12 = x0 * self.w_c10
        v13 = v12.permute((1, 0))
        v14 = v13.mT
        v7 = torch.true_divide(self.w_c8, v14)
        v19 = torch.tanh(v14)
        v20 = torch.cat((x10, x10,), dim=0)
        v21, v22 = v20.split([2, 2], dim=0)
        v11 = v19.add(v22)
        v24 = torch.where(v12 < -0.5, v12 + 1.0, torch.where(v12 > 0.5, v12 - 1.0, 0))
        v25 = torch.full((1,), -0.7179115414619446, dtype=torch.float32, device=x0.device)
        v26 = torch.addmm(v25, v24, self.w_c21, beta=1.0, alpha=2.0)
        v27 = torch.swapaxes(v26, 0, 1)
        v28 = v27.mT
        v29 = v28.transpose(0, 1)
        v30 = torch.sgn(v26)
        v31 = v30.t()
        v32 = v31.mT
        v33 = v32.transpose(0, 1)
        v34 = torch.mul(v29, v33)
        v15 = v34.permute((1, 0))
        v36 = v24.transpose(0, 1)
        v37 = v36.mT
        v38 = v37.transpose(0, 1)
        v39 = torch.full((2, 7), 2.0, dtype=torch.float32, device=x0.device)
        v40 = torch.permute(v39, (1, 0))
        v41 = v40.mT
        v42 = v41.t()
        v43 = torch.mul(v38, v42)
        v44 = v43.transpose(0, 1)
        v45 = v25.expand((2, 1)).addmm(v44, self.w_c21, beta=1.0, alpha=1.0)
        v46 = torch.full((1,), 0.0, dtype=torch.float32, device=x0.device)
        v47 = torch.cat((v46, x16,), dim=0)
        v48 = v47[1:2]
        v17 = torch.fmod(v45, v48)
        v51 = v12.tanh()
        v53 = v51 * x16
        v54 = v53.mT
        v18 = v54.permute((1, 0))
        v5 = torch.where(v14 < -0.5, v14 + 1.0, torch.where(v14 > 0.5, v14 - 1.0, 0))
        return (v2, v7, v11, v15, v17, v18, v5,)
