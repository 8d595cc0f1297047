import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = arrays["w_63e92c7f1481c4c3_3x1x2_float16"]
        self.w_c12 = arrays["w_4bf5122f344554c5_scalar_bool"]

    def forward(self, x0, c39):
        v1 = torch.reshape(x0, (5, 1, 32, 5))
        v2 = v1[:, :, :, 0:2]
        v3 = v2.sum(dim=(1,), keepdim=False, dtype=torch.float16)
        v5 = v1[:, :, :, 2:5]
        v6 = v5[:, :, :, 0:3]
        v7 = torch.sum(v6, dim=(1,), keepdim=False, dtype=torch.float16)
        v8 = torch.concat([v3, v7], -1)
        v9 = torch.kron(v8.contiguous(), self.w_c8.contiguous())
        v4, v12 = torch.kthvalue(v9, 5, dim=-2, keepdim=True)
        v16 = torch.full((15, 1, 10), True, dtype=torch.bool, device=x0.device)
        v17 = torch.triu(v16)
        v18 = torch.logical_and(v17, self.w_c12)
        v19 = torch.logical_not(v17)
        c17 = torch.full((), False, dtype=torch.bool, device=x0.device)
        v21 = torch.logical_and(v19, c17)
        v22 = v18 | v21
        v23 = torch.kron(x0.contiguous(), self.w_c8.contiguous())
        v24, v25 = torch.kthvalue(v23, 5, dim=-2, keepdim=True)
        c24 = torch.full((), 0, dtype=torch.int64, device=x0.device)
        v27 = torch.where(v22, v25, c24)
        v28 = v27.permute((1, 2, 0))
        v29 = v28.permute((1, 2, 0))
        v30 = torch.tril(v25, diagonal=-1)
        v31 = torch.permute(v30, (1, 2, 0))
        v32 = torch.permute(v31, (1, 2, 0))
        v33 = v29 + v32
        v34 = v33.permute((2, 0, 1))
        v4_1 = torch.permute(v34, (2, 0, 1))
        v36 = torch.stack((v9, v9, v9,), dim=-3)
        v11 = v36.relu()
        v38 = torch.full((15, 1, 1), 3, dtype=torch.int64, device=x0.device)
        v40 = torch.matmul(c39.mT, v38.mT).mT
        v41 = torch.permute(v40, (0, 2, 1))
        v42 = v41.permute((1, 2, 0))
        v43 = torch.permute(v42, (1, 2, 0))
        v44 = v43.permute((1, 2, 0))
        v45 = v44 + v44
        v46 = torch.permute(v45, (2, 0, 1))
        v47 = torch.permute(v46, (2, 0, 1))
        v13 = v47.permute((2, 0, 1))
        v14 = torch.cos(v36)
        v50 = v9.expand((2, 15, 32, 10))
        v51 = F.gelu(v50, approximate='none')
        v52 = v51.max(0, False)[0]
        v15 = torch.sgn(v52)
        return (v4, v4_1, v11, v13, v14, v15,)
