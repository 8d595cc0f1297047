import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_v16", arrays["w_24b3eef7633d47ec_16x7_float32"])

    def forward(self, x0, x8):
        v2, v3 = x0.split([14, 2], dim=-2)
        v4 = torch.concat([v2, v3], -2)
        v5 = torch.movedim(v4, (-1, -2), (-2, -1))
        v7 = torch.min(x0, dim=1, keepdim=False).values
        v8 = v7[:, None]
        v9 = v8.expand((16, 7))
        v10 = v9.moveaxis((-1, -2), (-2, -1))
        v11 = torch.stack(torch.broadcast_tensors(v5, v10)).amax(0)
        v12 = v11.permute((1, 0))
        v13 = v12.neg()
        v15 = -v13
        v17 = self.w_v16.neg()
        v18 = torch.neg(v17)
        v19 = v15 < v18
        v20 = v19.logical_not()
        v21 = ~v20
        c21 = torch.full((), 2.0, dtype=torch.float32, device=x0.device)
        v23 = v12.gt(c21)
        v24 = ~v23
        v25 = torch.logical_not(v24)
        v26 = torch.where(v25, c21, v12)
        c14 = torch.full((), -2.0, dtype=torch.float32, device=x0.device)
        v6 = c14.expand((16, 7)).where(v21, v26)
        v28 = torch.maximum(x0, v8)
        c29 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v31 = torch.stack(torch.broadcast_tensors(v28, c29, x8, x8)).amax(0)
        v32 = v31.mT
        v33 = v32.t()
        v34 = v33.permute((1, 0))
        v22 = torch.full((16, 7), 2.0, dtype=torch.float32, device=x0.device)
        v35 = torch.permute(v22, (1, 0))
        v36 = v35.moveaxis((-1, -2), (-2, -1))
        v37 = v36.mT
        v38 = v34.mul(v37)
        v39 = v38.moveaxis((-1, -2), (-2, -1))
        v40 = v31.neg()
        v41 = torch.stack(torch.broadcast_tensors(v12, c29, x8, x8)).amax(0)
        v42, v43 = torch.aminmax(v41, dim=-1, keepdim=True)
        v44 = v43.neg()
        v46 = ((v39 + v40) + v44)
        v47 = v46.exp()
        v48 = v47.sum(dim=(1,), keepdim=True, dtype=torch.float32)
        v14 = torch.div(v47, v48)
        return (v6, v14,)
