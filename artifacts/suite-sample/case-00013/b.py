import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x2, x9, x10, x12):
        v5 = x2.expand((15, 17, 17))
        v6 = torch.cos(x0)
        v9 = torch.permute(v6, (2, 0, 1))
        v10 = torch.permute(v9, (2, 0, 1))
        v11 = v6.sin()
        v12 = v11.permute((2, 0, 1))
        v15 = v12.permute((2, 0, 1))
        v16 = v15 * v15
        v17 = torch.permute(v16, (1, 2, 0))
        v18 = v17.permute((1, 2, 0))
        v19 = v6.cos()
        v20 = torch.permute(v19, (2, 0, 1))
        v21 = v20.permute((2, 0, 1))
        v22 = v21 ** 2
        v23 = v22.permute((1, 2, 0))
        v24 = torch.permute(v23, (1, 2, 0))
        v25 = torch.stack(torch.broadcast_tensors(v18, v24)).sum(0)
        v26 = torch.permute(v25, (2, 0, 1))
        v27 = v26.permute((2, 0, 1))
        v28 = torch.mul(v10, v27)
        v29 = v28.permute((1, 2, 0))
        v30 = torch.permute(v29, (1, 2, 0))
        v31 = torch.permute(v30, (2, 0, 1))
        v32 = v31.permute((2, 0, 1))
        v33 = torch.permute(v32, (2, 0, 1))
        v34 = torch.permute(v5, (2, 0, 1))
        v35 = torch.permute(v34, (2, 0, 1))
        v36 = torch.permute(v35, (2, 0, 1))
        v37 = torch.mul(v33, v36)
        v38 = v37.permute((1, 2, 0))
        v39 = v38.permute((1, 2, 0))
        v40 = torch.permute(v39, (1, 2, 0))
        v41 = x2 / v40
        v42 = torch.floor(v41)
        v7 = v42.neg()
        v8 = torch.softmax(v41, dim=1)
        v45 = x10.type(torch.float64)
        v46 = v45.type(torch.uint8)
        v47 = x9.add(v46)
        v13 = v47 > x12
        v14 = v41.atan()
        return (v7, v8, v13, v14,)
