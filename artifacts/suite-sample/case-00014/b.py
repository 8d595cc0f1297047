import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x1, x8, x13):
        v4 = torch.selu(x0)
        v6, v7 = v4.split([8, 9], dim=1)
        v2 = torch.cat((v6, v7,), dim=1)
        v9 = torch.argmax(x1, dim=0, keepdim=True)
        v10 = torch.clip(v9, min=-1, max=1)
        v11 = torch.abs(v9)
        v13 = torch.mul(v10, v11)
        v16 = torch.le(v13, v13)
        v17 = torch.ge(v13, v13)
        v18 = v16 & v17
        v5 = v18.logical_not_()
        v20 = x8[:, :, :, 13:16:2]
        v21 = torch.flip(v20[:, :, :, 0:2], (3,))
        v22, v23 = v21.split([8, 9], dim=1)
        v12 = torch.cat((v22, v23,), dim=1)
        v25 = torch.fix(x1)
        v26 = torch.clip(v25, min=-1.0, max=1.0)
        v27 = torch.clamp(v25, min=0)
        v28 = v27.to(torch.float64)
        v29 = torch.neg(v26)
        v30 = torch.abs(v25)
        v31 = v29.mul_(v30)
        v32 = torch.clamp(v31, min=0)
        v33 = v32.type(torch.float64)
        v34 = v28.add(v33)
        v35 = v34.to(dtype=torch.float32)
        v36 = v26.mul(v35)
        v37 = v36.type(torch.uint8)
        v38 = torch.cat((v37, v37,), dim=1)
        v39 = x13[0:3, :]
        v40 = x13[3:17, :]
        v41 = torch.concat([v39, v40], 0)
        v42 = torch.concat([v41, v41], 1)
        v43 = torch.add(v38, v42)
        v14 = v43[:, 17:34]
        v15 = torch.fix(v36)
        return (v2, v5, v12, v14, v15,)
