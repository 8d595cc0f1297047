import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x8):
        v7 = x0.min(1, True)[0].squeeze((1,))
        v8 = v7.unsqueeze(1)
        v28 = torch.stack(torch.broadcast_tensors(x0, v8)).amax(0)
        c29 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v31 = torch.stack(torch.broadcast_tensors(v28, c29, x8, x8)).amax(0)
        v22 = torch.full((16, 7), 2.0, dtype=torch.float32, device=x0.device)
        v35 = v22.permute((1, 0))
        v36 = torch.movedim(v35, (-1, -2), (-2, -1))
        v40 = v31.neg()
        v19, v26, v14 = self.around()(x0, v8, v31, v36, x8, v40)
        v20 = v19.logical_not()
        v21 = ~v20
        c14 = torch.full((), -2.0, dtype=torch.float32, device=x0.device)
        v6 = c14.where(v21, v26)
        return (v6, v14,)

    def around(self):
        def part(x0, v8, v31, v36, x8, v40):
            v2, v3 = x0.split([14, 2], dim=-2)
            v4 = torch.concat([v2, v3], -2)
            v5 = torch.movedim(v4, (-1, -2), (-2, -1))
            v9 = torch.broadcast_to(v8, (16, 7))
            v10 = torch.movedim(v9, (-1, -2), (-2, -1))
            v11 = torch.stack(torch.broadcast_tensors(v5, v10)).amax(0)
            v12 = v11.permute((1, 0))
            v13 = v12.neg()
            v15 = torch.neg(v13)
            v16 = torch.full((16, 7), -2.0, dtype=torch.float32, device=x0.device)
            v17 = v16.neg()
            v18 = torch.neg(v17)
            v19 = v15 < v18
            c21 = torch.full((), 2.0, dtype=torch.float32, device=x0.device)
            v23 = v12.gt(c21)
            v24 = torch.logical_not(v23)
            v25 = v24.logical_not_()
            v26 = torch.where(v25, c21.expand((16, 7)), v12)
            v32 = torch.swapaxes(v31, 0, 1)
            v33 = v32.mT
            v34 = v33.mT
            v37 = v36.mT
            v38 = torch.mul(v34, v37)
            v39 = torch.movedim(v38, (-1, -2), (-2, -1))
            c29 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
            v41 = torch.max(torch.max(torch.max(v12, c29.expand((16, 7))), x8), x8)
            v42, v43 = torch.aminmax(v41, dim=-1, keepdim=True)
            v44 = -v43
            v46 = ((v39 + v40) + v44)
            v47 = torch.exp(v46)
            v48 = v47.sum(dim=(1,), keepdim=True, dtype=torch.float32)
            v14 = v47.div(v48)
            return (v19, v26, v14,)

        return part
