import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c41", arrays["w_6c3c396ed6b5c36d_scalar_float64"])
        self.w_v20 = arrays["w_121ae2159ec62bf9_32_int64"]
        self.w_v44 = arrays["w_7fde232f68f98881_1x1x7x7_float64"]

    def forward(self, x0, x1):
        c2 = torch.full((), 4, dtype=torch.int64, device=x0.device)
        v4 = x0 % c2.expand((32, 32))
        v6 = v4.mul(4)
        v7 = torch.full((32, 32), 0, dtype=torch.int64, device=x0.device)
        v8 = ~v7
        v11 = v8.add(v4)
        v12 = torch.concat([v11, v11], 0)
        v13, v14 = torch.split(v12, [32, 32], dim=0)
        v15 = torch.bitwise_not(v13)
        v16 = v15 + v8
        v18 = v16.bitwise_not()
        v19 = v18[0:17, :]
        v21 = torch.unsqueeze(self.w_v20, 0)
        v22 = v21.repeat([32, 1])
        v23 = v22[0:17, :]
        v24 = v19.mul(v23)
        v5 = v6.slice_scatter(v24, 0, 0, 17, 1)
        v26, v27 = x1.split([4, 3], dim=3)
        v29 = torch.add(v27, 0.0)
        v30 = torch.stack((v29, v29,), dim=0)
        v31 = v30.reshape((14, 5, 7, 3))
        v9, v33 = torch.split(v31, [7, 7], dim=0)
        v34 = torch.isinf(v27)
        v35 = v34.moveaxis((2,), (0,))
        v10 = v35.moveaxis((0,), (2,))
        v37 = v26[4:5:3, 4:5:2, :, :]
        v38 = v37.permute((0, 1, 3, 2))
        v39 = v37 @ v38
        v40 = torch.movedim(v39, (1, 3, 2, 0), (0, 1, 2, 3))
        v41 = torch.movedim(v40, (3, 0, 2, 1), (0, 1, 2, 3))
        v45 = torch.mul(self.w_c41, self.w_v44)
        v46 = v41 / v45
        v47 = torch.movedim(v46, (0, 2, 3, 1), (0, 1, 2, 3))
        v48 = v47.moveaxis((0, 2, 3, 1), (0, 1, 2, 3))
        v49 = torch.permute(v48, (0, 2, 3, 1))
        v50 = v49.softmax(3)
        v51 = v50.permute((0, 3, 1, 2))
        v52 = v51.moveaxis((0, 3, 1, 2), (0, 1, 2, 3))
        v17 = torch.movedim(v52, (0, 3, 1, 2), (0, 1, 2, 3))
        return (v5, v9, v10, v17,)
