import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c5", arrays["w_600eb51707ad3d0a_3_float64"])

    def forward(self, x1, c1):
        v3 = x1 == c1
        v4 = v3.logical_not_()
        v7 = torch.where(v4, x1, self.w_c5)
        v8 = v7.type(torch.float32)
        v9 = v8.to(dtype=torch.int32)
        v10 = v9.to(torch.int16)
        v14 = v10.sub(1)
        v16 = v14.reshape((15, 9))
        v15 = torch.reshape(v16, (15, 1, 3, 3))
        v19 = x1.cumprod(-2, dtype=torch.float64)
        v20 = torch.clamp(v19, min=0)
        v21 = v20.neg()
        v22 = torch.movedim(v21, (-4, -2, -1, -3), (-4, -3, -2, -1))
        v23 = v22.moveaxis((-4, -2, -1, -3), (-4, -3, -2, -1))
        v24 = torch.relu(v23)
        v25 = v24.permute((0, 3, 1, 2))
        v26 = v25.moveaxis((-4, -1, -3, -2), (-4, -3, -2, -1))
        v27 = v26.moveaxis((-3, -2, -4, -1), (-4, -3, -2, -1))
        v28 = torch.permute(v27, (1, 2, 0, 3))
        v29 = v21.neg()
        v30 = torch.movedim(v29, (-4, -2, -1, -3), (-4, -3, -2, -1))
        v31 = v30.moveaxis((-4, -2, -1, -3), (-4, -3, -2, -1))
        v32 = torch.relu(v31)
        v33 = v32.permute((0, 3, 1, 2))
        v34 = torch.movedim(v33, (-4, -1, -3, -2), (-4, -3, -2, -1))
        v35 = v34.moveaxis((-3, -2, -4, -1), (-4, -3, -2, -1))
        v36 = v35.permute((1, 2, 0, 3))
        v37 = torch.mul(v28, v36)
        v38 = v37.permute((2, 0, 1, 3))
        v39 = v38.permute((2, 0, 1, 3))
        v40 = torch.add(v39, v39)
        v41 = torch.add(v39, v40)
        v42 = v39.add(v41)
        v43 = v41.add(v42)
        v17 = v21 + v43
        v45 = torch.full((3,), 1, dtype=torch.int64, device=x1.device)
        v46 = torch.cumsum(torch.cat((torch.zeros_like(v45[:1]), v45[:-1]), dim=-1), dim=-1, dtype=torch.int64)
        v47 = v9[:, :, :, v46]
        v13 = v47.type(torch.int16)
        return (v15, v17, v13,)
