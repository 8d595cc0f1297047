import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c18 = arrays["w_b5628088dc081b3f_5x7_float32"]

    def forward(self, x1, x2, x6, x9, x16):
        v5 = torch.ger(x1, x2)
        v6 = torch.stack(torch.broadcast_tensors(v5, v5)).sum(0)
        v8 = v6 - v5
        v4, v4_1 = torch.sort(v8, dim=-2, descending=True, stable=True)
        c10 = torch.full((), 0.0, dtype=torch.float32, device=x1.device)
        v12 = v8.eq(c10)
        v13 = x6.log()
        v16 = v13.mul(v8)
        v7 = torch.where(v12, c10, v16)
        v20 = v8.permute((0, 1))
        v21 = torch.addmm(self.w_c18, v20.t(), x9, beta=0.30000001192092896, alpha=1.0)
        v22 = torch.permute(v5, (0, 1))
        v23 = 0.30000001192092896 * self.w_c18 + 1.0 * (v22.t() @ x9)
        v24, v25 = torch.split(v23, [2, 5], dim=-1)
        v26 = F.pad(v24, (1, 2, 0, 0), 'constant', 0.0)
        v27 = F.pad(v26, (-1, -2, 0, 0), value=0.0)
        v28 = torch.concat([v25, v25], -2)
        v29, v30 = torch.split(v28, [5, 5], dim=-2)
        v31 = torch.concat([v27, v30], -1)
        v15 = torch.mm(v21.t(), v31)
        v33 = torch.add(x16, x16)
        v34 = v33.sub(x16)
        v17 = torch.concat([v31, v34], -2)
        v18 = v21.permute((0, 1))
        return (v4, v4_1, v7, v15, v17, v18,)
