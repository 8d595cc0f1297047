import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c3 = arrays["w_98943a37fab08b40_4x1_int8"]

    def forward(self, x1, x8, x9):
        v6 = x1.type(torch.int32)
        v8 = torch.full((4, 17), 1, dtype=torch.int8, device=x1.device)
        v9 = v8.to(dtype=torch.int32)
        v10 = v6 * v9
        v11 = v10.to(dtype=torch.int8)
        v7 = self.w_c3 | v11
        v13 = x9.sum(dim=(0,), keepdim=True, dtype=torch.float64)
        v17 = -v13
        v18 = torch.max(v13, v17)
        v19 = torch.copysign(v18, v13)
        v14 = v19.mean()
        v22 = torch.div(v11, -2, rounding_mode='trunc')
        v23 = ~v22
        c6 = torch.full((), 1, dtype=torch.int8, device=x1.device)
        v24 = c6.add(v23)
        v25 = torch.bitwise_not(v24)
        v26 = v25 + 1
        v27 = torch.neg(v26)
        v28 = v27 * -2
        v29 = v28.bitwise_not()
        v4 = v29 + 1
        v31 = v4.argmax(0, keepdim=True)
        v15 = torch.argmax(v31, dim=1, keepdim=False)
        v33 = x8.mean(dim=(0, 2), keepdim=True).squeeze((0, 2))
        v34 = torch.neg(v33)
        v35 = torch.stack(torch.broadcast_tensors(v33, v34)).amax(0)
        v16 = torch.copysign(v35, v33)
        return (v7, v14, v15, v16, v4, v34,)
