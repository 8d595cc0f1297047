import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c16 = arrays["w_969bcbe42d917b14_8x1_uint8"]
        self.w_c31 = arrays["w_e52d9c508c502347_scalar_uint8"]

    def forward(self, x0, x1):
        v2 = x1.reshape((8, 8, 1, 4))
        v3 = v2.expand((8, 8, 2, 4))
        v5 = torch.add(v2, v3)
        v6, v7 = torch.split(v5, [5, 3], dim=-3)
        v9 = torch.cat((v6, v7,), dim=-3)
        v11 = v9.sub(v2)
        v14, v15 = v11.split([5, 3], dim=-3)
        v16 = torch.sum(v14, dim=(2,), keepdim=True, dtype=torch.float16)
        v17, v18 = v3.split([5, 3], dim=-3)
        v19 = torch.sum(v18, dim=(2,), keepdim=True, dtype=torch.float16)
        v4 = torch.cat((v16, v19,), dim=-3)
        v22 = x0.permute((0, 1))
        v23 = v22.permute((1, 0))
        v24 = torch.mul(self.w_c16, v23)
        v25, v26 = torch.split(v24, [2, 2], dim=-1)
        v8 = torch.concat([v25, v26], -1)
        v28 = torch.bitwise_not(x0)
        v29 = v28.bitwise_not()
        v30 = torch.full((4, 8), 0, dtype=torch.uint8, device=x0.device)
        v31 = ~v30
        v32 = v31.bitwise_not()
        v10 = torch.lt(v29, v32)
        v34 = torch.full((4, 8), 4, dtype=torch.uint8, device=x0.device)
        v35 = v34.bitwise_not()
        v36 = v35.bitwise_not_()
        v37 = v36 < v29
        v38 = torch.where(v37, self.w_c31, x0)
        c26 = torch.full((), 0, dtype=torch.uint8, device=x0.device)
        v39 = c26.where(v10, v38)
        v12 = torch.clamp_max(v39, 3)
        v41 = torch.bitwise_not(v22)
        v42 = ~v41
        v43 = v42.bitwise_not_()
        v44 = v43 < v43
        v13 = torch.swapaxes(v44, 0, 1)
        return (v4, v8, v10, v12, v13,)
