import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c41 = torch.nn.Parameter(arrays["w_6c3c396ed6b5c36d_scalar_float64"], requires_grad=False)
        self.register_buffer("w_v44", arrays["w_7fde232f68f98881_1x1x7x7_float64"])

    def forward(self, x0, x1):
        c2 = torch.full((), 4, dtype=torch.int64, device=x0.device)
        v4 = torch.remainder(x0, c2)
        v6 = v4 * c2
        v7 = torch.full((32, 32), 0, dtype=torch.int64, device=x0.device)
        v8 = ~v7
        v11 = v8 + v4
        v12 = torch.cat((v11, v11,), dim=-2)
        v13, v14 = torch.split(v12, [32, 32], dim=-2)
        v15 = torch.bitwise_not(v13)
        v16 = v15.add_(v8)
        v18 = v16.bitwise_not()
        v19 = v18[0:17, :]
        v20 = torch.full((32,), 4, dtype=torch.int64, device=x0.device)
        v21 = torch.reshape(v20, (1, 32))
        v22 = v21.repeat([32, 1])
        v23 = v22[0:17, :]
        v24 = v19.mul(v23)
        v5 = torch.slice_scatter(v6, v24, -2, 0, 17, 1)
        v26, v27 = torch.split(x1, [4, 3], dim=-1)
        v29 = v27 + 0.0
        v30 = torch.stack((v29, v29,), dim=-5)
        v31 = torch.reshape(v30, (14, 5, 7, 3))
        v9, v33 = v31.split([7, 7], dim=-4)
        v34 = v27.isinf()
        v35 = v34.moveaxis((-2,), (-4,))
        v10 = v35.moveaxis((-4,), (-2,))
        v37 = v26[4:5:3, 4:5:2, :, :]
        v38 = torch.swapaxes(v37, 2, 3)
        v39 = torch.matmul(v37, v38)
        v40 = torch.movedim(v39, (-3, -1, -2, -4), (-4, -3, -2, -1))
        v41 = v40.moveaxis((-1, -4, -2, -3), (-4, -3, -2, -1))
        v45 = self.w_c41.mul(self.w_v44)
        v46 = v41 / v45
        v47 = torch.movedim(v46, (-4, -2, -1, -3), (-4, -3, -2, -1))
        v48 = torch.movedim(v47, (-4, -2, -1, -3), (-4, -3, -2, -1))
        v49 = v48.permute((0, 2, 3, 1))
        v50 = F.softmin(-v49, -1)
        v51 = v50.permute((0, 3, 1, 2))
        v52 = v51.moveaxis((-4, -1, -3, -2), (-4, -3, -2, -1))
        v17 = torch.movedim(v52, (-4, -1, -3, -2), (-4, -3, -2, -1))
        return (v5, v9, v10, v17,)
