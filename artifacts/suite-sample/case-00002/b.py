import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c10", arrays["w_df3f619804a92fdb_scalar_float32"])
        self.w_c16 = arrays["w_e00e5eb9444182f3_scalar_float32"]
        self.w_v12 = arrays["w_f5a5fd42d16a2030_2x2x4_float32"]

    def forward(self, x0, x1, x3, x8, x9, x15, x17, x20):
        v2 = x1.reshape(())
        v14 = torch.linalg.vector_norm(x0, ord=1.0, dim=(0, 1), keepdim=True).squeeze((0, 1))
        v13 = torch.sub(self.w_c10.expand((2, 2, 4)), self.w_v12)
        v15 = torch.reshape(x15, (1, 4, 4))
        v16 = v15.contiguous().view((4, 4))
        v17 = F.linear(x8, v16.t())
        v22 = v17 / self.w_c16
        v23 = v13.sub(v22)
        v24 = v23.neg_()
        v25 = v24.lt(v13)
        v26 = torch.diag_embed(x17, 0, -2, -1)
        v27 = v26.diagonal(0, -2, -1)
        v29 = v27.mul(v22)
        v18 = v29.where(v25, v22)
        v31 = x0.new_full((2,), 3.0, dtype=torch.float32)
        v32 = F.instance_norm(x8, weight=x9, bias=v31, eps=9.999999747378752e-06)
        v33 = torch.flip(v32[:, :, 0:4:3], (2,))
        v34 = v33[:, :, 0:2]
        v35 = torch.add(v34, v34)
        v36 = v35[0:1:2, :, :]
        v37 = v35[1:2:2, :, :]
        v38 = torch.stack((v36, v37,), dim=-3)
        v19 = v38.contiguous().view((2, 2, 2))
        v40 = x3.contiguous().view((1, 2, 2, 4, 2))
        v41 = v40.reshape((2, 2, 4, 2))
        c39 = torch.full((), 1, dtype=torch.int64, device=x0.device)
        v42 = torch.index_select(v41, 1, torch.remainder(c39, 2).reshape(-1)).reshape((2, 4, 2))
        v44 = torch.full((2, 2), True, dtype=torch.bool, device=x0.device)
        v45 = torch.reshape(v44, (1, 2, 2))
        v46 = v45.repeat([2, 1, 1])
        v49 = x0.new_full((2, 2), 0, dtype=torch.int64)
        v50 = v49.reshape(1, 2, -1)
        v51 = torch.tile(v50, [2, 1, 1])
        v52 = torch.where(v46, x20, v51)
        c41 = torch.scalar_tensor(True, dtype=torch.bool, device=x0.device)
        c53 = torch.zeros((), dtype=torch.int64, device=x0.device)
        v55 = torch.where(c41, v52, c53)
        v56 = v55[1:2, :, :]
        v57 = v56.contiguous().view((2, 2))
        v21 = v42 @ v57
        v59 = x9[None, :]
        v60 = torch.tile(v59, [2, 1])
        v61 = v60[1:2, :]
        v62 = v61.reshape(-1)
        v11 = F.instance_norm(x8, weight=v62, bias=v31, eps=9.999999747378752e-06)
        return (v2, v14, v18, v19, v21, v11,)
