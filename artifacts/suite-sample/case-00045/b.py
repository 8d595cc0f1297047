import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c18 = torch.nn.Parameter(arrays["w_b5628088dc081b3f_5x7_float32"], requires_grad=False)

    def forward(self, x1, x2, x6, x9, x16):
        v33 = (x16 + x16)
        v34 = v33 - x16
        v4, v4_1, v7, v21, v31, v15 = self.around()(x1, x2, x6, x9)
        v17 = torch.cat((v31, v34,), dim=0)
        v18 = torch.permute(v21, (0, 1))
        return (v4, v4_1, v7, v15, v17, v18,)

    def around(self):
        def part(x1, x2, x6, x9):
            v5 = torch.outer(x1, x2)
            v6 = torch.stack(torch.broadcast_tensors(v5, v5)).sum(0)
            v8 = torch.sub(v6, v5)
            v4, v4_1 = torch.sort(v8, dim=0, descending=True, stable=True)
            c10 = torch.full((), 0.0, dtype=torch.float32, device=x1.device)
            v12 = torch.eq(v8, c10)
            v13 = torch.log(x6)
            v16 = v13 * v8
            v7 = torch.where(v12, c10, v16)
            v20 = torch.permute(v8, (0, 1))
            v21 = torch.addmm(self.w_c18, v20.t(), x9, beta=0.30000001192092896, alpha=1.0)
            v22 = v5.permute((0, 1))
            v23 = torch.addmm(self.w_c18, v22.t(), x9, beta=0.30000001192092896, alpha=1.0)
            v24, v25 = torch.split(v23, [2, 5], dim=1)
            v26 = F.pad(v24, (1, 2, 0, 0), 'constant', 0.0)
            v27 = F.pad(v26, (-1, -2, 0, 0), 'constant', 0.0)
            v28 = torch.concat([v25, v25], 0)
            v29, v30 = torch.split(v28, [5, 5], dim=0)
            v31 = torch.concat([v27, v30], 1)
            v15 = torch.mm(v21.t(), v31)
            return (v4, v4_1, v7, v21, v31, v15,)

        return part
