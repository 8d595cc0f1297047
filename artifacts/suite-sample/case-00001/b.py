import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = arrays["w_63e92c7f1481c4c3_3x1x2_float16"]
        self.w_c39 = arrays["w_bd9348b984a812f8_15x1x1_int64"]

    def forward(self, x0):
        v1 = x0[:, None, :, :]
        v2 = v1[:, :, :, 0:2]
        v3 = torch.sum(v2, dim=(1,), keepdim=False, dtype=torch.float16)
        v5 = v1[:, :, :, 2:5]
        v6 = v5[:, :, :, 0:3]
        v7 = torch.sum(v6, dim=(1,), keepdim=False, dtype=torch.float16)
        v8 = torch.concat([v3, v7], -1)
        v9 = torch.kron(v8.contiguous(), self.w_c8.contiguous())
        v4, v12 = v9.kthvalue(5, dim=-2, keepdim=True)
        v16 = torch.full((15, 1, 10), True, dtype=torch.bool, device=x0.device)
        v17 = v16.triu(0)
        c12 = torch.full((), True, dtype=torch.bool, device=x0.device)
        v18 = v17.logical_and(c12)
        v19 = torch.logical_not(v17)
        c17 = torch.full((), False, dtype=torch.bool, device=x0.device)
        v21 = torch.logical_and(v19, c17.expand((15, 1, 10)))
        v22 = v18 | v21
        v23 = torch.kron(x0.contiguous(), self.w_c8.contiguous())
        v24, v25 = v23.kthvalue(5, dim=-2, keepdim=True)
        c24 = torch.full((), 0, dtype=torch.int64, device=x0.device)
        v27 = v25.where(v22, c24)
        v28 = torch.permute(v27, (1, 2, 0))
        v29 = torch.permute(v28, (1, 2, 0))
        v30 = v25.tril(-1)
        v31 = torch.permute(v30, (1, 2, 0))
        v32 = v31.permute((1, 2, 0))
        v33 = v29.add(v32)
        v34 = v33.permute((2, 0, 1))
        v4_1 = v34.permute((2, 0, 1))
        v36 = torch.stack((v9, v9, v9,), dim=-3)
        v11 = v36.relu()
        v38 = torch.full((15, 1, 1), 3, dtype=torch.int64, device=x0.device)
        v40 = v38 @ self.w_c39
        v41 = v40.transpose(1, 2)
        v42 = torch.permute(v41, (1, 2, 0))
        v43 = torch.permute(v42, (1, 2, 0))
        v44 = torch.permute(v43, (1, 2, 0))
        v45 = v44 + v44
        v46 = torch.permute(v45, (2, 0, 1))
        v47 = torch.permute(v46, (2, 0, 1))
        v13 = v47.permute((2, 0, 1))
        v14 = torch.cos(v36)
        v50 = torch.broadcast_to(v9, (2, 15, 32, 10))
        v51 = 0.5 * v50 * (1 + torch.erf(v50 * 0.7071067811865476))
        v52 = torch.amax(v51, dim=(0,), keepdim=True).squeeze((0,))
        v15 = torch.sign(v52)
        return (v4, v4_1, v11, v13, v14, v15,)
