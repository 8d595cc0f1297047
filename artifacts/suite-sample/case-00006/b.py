import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c25 = torch.nn.Parameter(arrays["w_95808a6268a87720_3_float32"], requires_grad=False)

    def forward(self, x1, x5, x6, x16):
        v2 = torch.max(x1, dim=-2, keepdim=False).indices
        c5 = torch.full((), 2, dtype=torch.int64, device=x1.device)
        v4 = F.embedding(c5, x1)
        v9 = torch.mul(x5, 3.0)
        v10 = torch.concat([v9, v9], -2)
        v11, v12 = v10.split([3, 3], dim=-2)
        v15 = v12.unsqueeze(2)
        v17 = x6.roll((1,), (-1,))
        v19 = v17.roll((-1,), (-1,))
        v20 = v19.unsqueeze(0)
        v22 = torch.mul(v15, v20)
        v23 = torch.sum(v22, dim=(1,), keepdim=False, dtype=torch.float32)
        v24 = v23.type(torch.float64)
        v25 = torch.cat((v24, v24,), dim=-1)
        v26, v27 = v25.split([3, 3], dim=-1)
        v28 = self.w_c25.to(torch.float64)
        v29 = torch.broadcast_to(v28, (3, 3))
        v30 = torch.cat((v29, v29,), dim=-1)
        v31, v32 = torch.split(v30, [3, 3], dim=-1)
        v33 = v26 + v31
        v34 = v33.to(dtype=torch.float32)
        v35 = v34.log()
        v36 = torch.full((3, 3), 2.0, dtype=torch.float32, device=x1.device)
        v37 = v36.log()
        v13 = torch.true_divide(v35, v37)
        v14, v40 = torch.var_mean(v34, dim=(0, 1), correction=0, keepdim=False)
        v41 = torch.special.expit(x1)
        v42, v43, v44 = x16.split([8, 1, 8], dim=-1)
        v45 = torch.cat((v42, v43, v44,), dim=-1)
        v46 = v41 - v45
        v18 = v46.type(torch.int8)
        return (v2, v4, v13, v14, v18,)
