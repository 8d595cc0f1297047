import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c11", arrays["w_7204951b1d1b4eb0_16x33_int32"])
        self.w_c53 = arrays["w_a96982748582ddc4_1x16x1x33_int32"]

    def forward(self, x0, x1, x6, x9, x11):
        v2 = F.hardtanh(x1, -3.0, 0.0)
        v7 = torch.full((16, 33), True, dtype=torch.bool, device=x0.device)
        v9 = torch.triu(v7, diagonal=0)
        v10, v11 = torch.split(v9, [9, 7], dim=0)
        v13 = x0 % self.w_c11
        v16, v18 = v13.split([9, 7], dim=0)
        v19 = torch.full((16, 33), 0, dtype=torch.int32, device=x0.device)
        v20, v21 = torch.split(v19, [9, 7], dim=0)
        v22 = v16.where(v10, v20)
        v23 = torch.tril(v7, diagonal=-1)
        v24, v25 = torch.split(v23, [9, 7], dim=0)
        v26 = torch.where(v24, v16, v20)
        v27 = torch.add(v22, v26)
        v28 = torch.where(v11, v18, v21)
        v29 = torch.where(v25, v18, v21)
        v30 = v28.add_(v29)
        v8 = torch.cat((v27, v30,), dim=0)
        v32 = x6.expand((16, 16)).addr(x9, x9, beta=0.30000001192092896, alpha=1.0)
        v33 = torch.cat((v32, v32,), dim=1)
        v34, v35 = torch.split(v33, [16, 16], dim=1)
        v36 = torch.concat([x11, x11], 0)
        v37 = torch.tile(v36, [1])
        v38 = v37[16:32]
        v12 = F.group_norm(v35, 4, x9, v38, 9.999999747378752e-06)
        v14, v15, v17 = self.around(x0)
        return (v2, v8, v12, v14, v15, v17,)

    def around(self, x0):
        def part(x0):
            v40 = x0.moveaxis((1,), (1,))
            v41 = torch.movedim(v40, (0,), (0,))
            v42 = torch.roll(v41, (26,), (1,))
            v43 = v42.roll((-26,), (1,))
            v14 = v43.moveaxis((0,), (1,))
            v45 = torch.full((1, 16, 33, 1), True, dtype=torch.bool, device=x0.device)
            v46 = v45.triu(0)
            v47 = v40.reshape((1, 16, 33, 1))
            c46 = torch.full((), 0, dtype=torch.int32, device=x0.device)
            v49 = v47.where(v46, c46)
            v50 = torch.tril(v45, diagonal=-1)
            v51 = torch.where(v50, v47, c46)
            v52 = v49.add(v51)
            v15 = v52.reshape((16, 33))
            v54 = self.w_c53.flip((2,))
            v55 = torch.flip(v54, (2,))
            v17 = v52.matmul(v55)
            return (v14, v15, v17,)

        return part(x0)
