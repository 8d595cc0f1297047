import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = torch.nn.Parameter(arrays["w_b75b03a503bd8699_2x1_float32"], requires_grad=False)
        self.w_c10 = torch.nn.Parameter(arrays["w_5527d5c4308ffe2d_2x7_float32"], requires_grad=False)
        self.w_c21 = torch.nn.Parameter(arrays["w_eebb6d447aee1add_7x1_float32"], requires_grad=False)
        self.part = self.Part(arrays)

    def forward(self, x0, x1, x10, x16):
        v4 = torch.concat([x0, x0, x1], 1)
        v6 = v4[0:1, :]
        v8 = v4[1:2, :]
        v2 = torch.concat([v6, v8], 0)
        v12 = x0 * self.w_c10
        v13 = torch.swapaxes(v12, 0, 1)
        v14 = v13.permute((1, 0))
        v7 = self.w_c8.div(v14)
        v19 = torch.tanh(v14)
        v20 = torch.concat([x10, x10], 0)
        v21, v22 = v20.split([2, 2], dim=0)
        v11 = v19 + v22
        v39 = torch.full((2, 7), 2.0, dtype=torch.float32, device=x0.device)
        v40 = v39.t()
        v41 = torch.permute(v40, (1, 0))
        v42 = v41.mT
        v46 = torch.full((1,), 0.0, dtype=torch.float32, device=x0.device)
        v47 = torch.cat((v46, x16,), dim=0)
        v48 = v47[1:2]
        v51 = torch.tanh(v12)
        v53 = v51.mul(x16)
        v54 = v53.transpose(0, 1)
        v18 = v54.t()
        v5 = torch.where(v14 < -0.5, v14 + 1.0, torch.where(v14 > 0.5, v14 - 1.0, 0))
        v15, v38 = self.part(v12)
        v43 = v38.mul(v42)
        v44 = v43.permute((1, 0))
        v25 = torch.full((1,), -0.7179115414619446, dtype=torch.float32, device=x0.device)
        v45 = v25.expand((2, 1)).addmm(v44, self.w_c21, beta=1.0, alpha=1.0)
        v17 = torch.fmod(v45, v48)
        return (v2, v7, v11, v15, v17, v18, v5,)

    class Part(torch.nn.Module):
        def __init__(self, arrays):
            super().__init__()
            self.w_c21 = torch.nn.Parameter(arrays["w_eebb6d447aee1add_7x1_float32"], requires_grad=False)

        def forward(self, v12):
            v24 = torch.where(v12 < -0.5, v12 + 1.0, torch.where(v12 > 0.5, v12 - 1.0, 0))
            v25 = torch.full((1,), -0.7179115414619446, dtype=torch.float32, device=v12.device)
            v26 = 1.0 * v25 + 2.0 * (v24 @ self.w_c21)
            v27 = v26.transpose(0, 1)
            v28 = v27.mT
            v29 = torch.swapaxes(v28, 0, 1)
            v30 = torch.sign(v26)
            v31 = torch.permute(v30, (1, 0))
            v32 = v31.transpose(0, 1)
            v33 = v32.transpose(0, 1)
            v34 = v29.mul(v33)
            v15 = v34.permute((1, 0))
            v36 = v24.transpose(0, 1)
            v37 = torch.swapaxes(v36, 0, 1)
            v38 = v37.permute((1, 0))
            return (v15, v38,)
