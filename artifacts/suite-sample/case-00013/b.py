import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x2, x9, x10, x12):
        v5 = x2.expand((15, 17, 17))
        v6 = x0.cos()
        v9 = torch.permute(v6, (2, 0, 1))
        v10 = v9.permute((2, 0, 1))
        v11 = v6.sin()
        v12 = v11.permute((2, 0, 1))
        v15 = v12.permute((2, 0, 1))
        v16 = v15.square()
        v17 = v16.permute((1, 2, 0))
        v18 = v17.permute((1, 2, 0))
        v19 = v6.cos()
        v20 = v19.permute((2, 0, 1))
        v21 = torch.permute(v20, (2, 0, 1))
        v22 = torch.square(v21)
        v23 = torch.permute(v22, (1, 2, 0))
        v24 = v23.permute((1, 2, 0))
        v25 = torch.add(v18, v24)
        v26 = torch.permute(v25, (2, 0, 1))
        v27 = torch.permute(v26, (2, 0, 1))
        v28 = v10 * v27
        v29 = torch.permute(v28, (1, 2, 0))
        v30 = torch.permute(v29, (1, 2, 0))
        v31 = torch.permute(v30, (2, 0, 1))
        v32 = v31.permute((2, 0, 1))
        v33 = v32.permute((2, 0, 1))
        v34 = torch.permute(v5, (2, 0, 1))
        v35 = v34.permute((2, 0, 1))
        v36 = torch.permute(v35, (2, 0, 1))
        v37 = v33.mul(v36)
        v38 = v37.permute((1, 2, 0))
        v39 = torch.permute(v38, (1, 2, 0))
        v40 = v39.permute((1, 2, 0))
        v41 = torch.div(x2, v40)
        v42 = v41.floor()
        v7 = v42.neg_()
        v8 = v41.softmax(-2)
        v45 = x10.to(dtype=torch.float64)
        v46 = v45.to(dtype=torch.uint8)
        v47 = x9 + v46
        v13 = torch.gt(v47, x12)
        v14 = torch.atan(v41)
        return (v7, v8, v13, v14,)
