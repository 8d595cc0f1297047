import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c11 = arrays["w_7204951b1d1b4eb0_16x33_int32"]
        self.register_buffer("w_c46", arrays["w_df3f619804a92fdb_scalar_int32"])
        self.register_buffer("w_c53", arrays["w_a96982748582ddc4_1x16x1x33_int32"])

    def forward(self, x0, x1, x6, x9, x11):
        v2 = F.hardtanh(x1, -3.0, 0.0)
        v7 = torch.full((16, 33), True, dtype=torch.bool, device=x0.device)
        v9 = v7.triu(0)
        v10, v11 = v9.split([9, 7], dim=0)
        v13 = x0.remainder(self.w_c11)
        v16, v18 = torch.split(v13, [9, 7], dim=0)
        v19 = torch.full((16, 33), 0, dtype=torch.int32, device=x0.device)
        v20, v21 = torch.split(v19, [9, 7], dim=0)
        v22 = torch.where(v10, v16, v20)
        v23 = torch.tril(v7, diagonal=-1)
        v24, v25 = torch.split(v23, [9, 7], dim=0)
        v26 = v16.where(v24, v20)
        v27 = v22.add_(v26)
        v28 = torch.where(v11, v18, v21)
        v29 = torch.where(v25, v18, v21)
        v30 = v28.add(v29)
        v8 = torch.cat((v27, v30,), dim=0)
        v32 = x6.expand((16, 16)).addr(x9, x9, beta=0.30000001192092896, alpha=1.0)
        v33 = torch.concat([v32, v32], 1)
        v34, v35 = torch.chunk(v33, 2, dim=1)
        v36 = torch.cat((x11, x11,), dim=0)
        v37 = torch.tile(v36, [1])
        v38 = v37[16:32]
        v12 = torch.group_norm(v35, 4, x9, v38, 9.999999747378752e-06)
        v40 = torch.movedim(x0, (1,), (1,))
        v41 = v40.moveaxis((0,), (0,))
        v42 = v41.roll((26,), (1,))
        v43 = torch.roll(v42, (-26,), (1,))
        v14 = v43.moveaxis((0,), (1,))
        v45 = torch.full((1, 16, 33, 1), True, dtype=torch.bool, device=x0.device)
        v46 = torch.triu(v45, diagonal=0)
        v47 = v40.reshape((1, 16, 33, 1))
        v49 = v47.where(v46, self.w_c46)
        v50 = v45.tril(-1)
        v51 = v47.where(v50, self.w_c46.expand((1, 16, 33, 1)))
        v52 = v49 + v51
        v15 = torch.squeeze(v52, (0, 3))
        v54 = self.w_c53.flip((2,))
        v55 = torch.flip(v54, (2,))
        v17 = v52 @ v55
        return (v2, v8, v12, v14, v15, v17,)
