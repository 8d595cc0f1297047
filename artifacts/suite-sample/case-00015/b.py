import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x1, x4):
        v3 = x1 - x0
        v4 = v3.abs_()
        v5 = torch.add(v4, v4)
        v6 = torch.permute(v5, (1, 0))
        v9 = torch.swapaxes(v4, 0, 1)
        v14 = v6.sub(v9)
        v15 = torch.swapaxes(v14, 0, 1)
        v16 = torch.add(v15, v15)
        v17 = v16.permute((1, 0))
        v18 = v17.t()
        v8 = torch.rsub(v4, v18, alpha=1)
        v20 = torch.argsort(x4, dim=0, descending=False, stable=True)
        v10 = torch.maximum(v20, v20)
        v22 = torch.neg(x1)
        v12 = torch.bitwise_xor(v22, v22)
        v25 = torch.sub(x0, x1)
        v26 = v25.flip((0,))
        v2 = v26.flip((0,))
        c18 = torch.full((), 1, dtype=torch.int16, device=x0.device)
        v28 = torch.sub(v2, c18, alpha=1)
        v29 = torch.rsub(v28, v12, alpha=1)
        v30 = torch.rsub(v12, v29, alpha=1)
        v31 = v30.eq(v12)
        v32 = v31.to(torch.float32)
        v33 = v32.neg()
        v34 = v33.neg()
        v35 = torch.neg(v34)
        v36 = torch.round(v35)
        v37 = -v36
        v38 = torch.neg(v37)
        v11 = torch.neg(v38)
        v40, v41 = x4.split([1, 1], dim=0)
        v13 = torch.divide(v40, 1, rounding_mode='trunc')
        v44 = v41.repeat_interleave(2, 0)
        v13_1 = v44[0:1:2]
        v46 = torch.divide(x0, 1, rounding_mode='trunc')
        v7 = torch.sub(x1, v46, alpha=1)
        return (v8, v10, v11, v12, v13, v13_1, v2, v7,)
