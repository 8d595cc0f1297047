import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c10", arrays["w_4bf5122f344554c5_scalar_bool"])
        self.w_c43 = arrays["w_7c9fa136d4413fa6_scalar_int64"]

    def forward(self, x0, x1, x3, x8, x9, x15, x17, x20, c12):
        v2 = x1.reshape(())
        v14 = torch.linalg.vector_norm(x0, ord=1.0, dim=(0, 1), keepdim=True).squeeze((0, 1))
        v15 = torch.where(self.w_c10, x8, c12)
        v16 = -v15
        v17 = x15[0:3, :]
        v20 = x15[3:4, :]
        local_1 = v17.new_empty((4, 4))
        local_1[0:3].copy_(v17)
        local_1[3:4] = v20
        v22 = local_1
        v23 = v16.matmul(v22)
        v24 = v23.neg_()
        v13 = torch.full((2, 2, 4), 0.0, dtype=torch.float32, device=x0.device)
        v25 = v13.neg()
        v26 = v25.neg_()
        v27 = torch.lt(v24, v26)
        v28 = torch.diag_embed(x17, 0, -2, -1)
        v29 = v28.diagonal(0, -2, -1)
        v31 = v15.matmul(v22)
        v32 = v29.mul(v31)
        v18 = v32.where(v27, v31)
        v34 = torch.unsqueeze(x9, 0)
        v35 = torch.tile(v34, [2, 1])
        v36 = v35[1:2, :]
        v37 = torch.flatten(v36)
        v38 = torch.full((2,), 3.0, dtype=torch.float32, device=x0.device)
        v11 = F.instance_norm(v15, weight=v37, bias=v38, eps=9.999999747378752e-06)
        v40 = torch.flip(v11[:, :, 0:4:3], (2,))
        v41 = v40[:, :, 0:2]
        v19 = v41 + v41
        v43 = x3[:, :, 0:3, :]
        v44 = x3[:, :, 3:4, :]
        local_2 = torch.empty((2, 2, 4, 2), dtype=torch.int64, device=v43.device)
        local_2[:, :, 0:3] = v43
        local_2[:, :, 3:4].copy_(v44)
        v45 = local_2
        v46 = v45[:, self.w_c43.reshape(1)].reshape((2, 4, 2))
        v47 = x20[:, 0:1:2]
        v48 = x20[:, 1:2:2]
        v49 = torch.stack((v47, v48,), dim=-1)
        v50 = v49.reshape(2, -1)
        v21 = v46 @ v50
        return (v2, v14, v18, v19, v21, v11,)
