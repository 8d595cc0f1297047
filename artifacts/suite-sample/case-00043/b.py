import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v30 = arrays["w_66687aadf862bd77_4x8_uint8"]

    def forward(self, x0, x1, c16):
        v2 = torch.unsqueeze(x1, 2)
        v3 = torch.broadcast_to(v2, (8, 8, 2, 4))
        v5 = v2.add(v3)
        v6, v7 = torch.split(v5, [5, 3], dim=1)
        v9 = torch.cat((v6, v7,), dim=1)
        v11 = torch.sub(v9, v2)
        v14, v15 = v11.split([5, 3], dim=1)
        v16 = torch.sum(v14, dim=(2,), keepdim=True, dtype=torch.float16)
        v17, v18 = v3.split([5, 3], dim=1)
        v19 = v18.sum(dim=(2,), keepdim=True, dtype=torch.float16)
        v4 = torch.cat((v16, v19,), dim=1)
        v22 = x0.permute((0, 1))
        v23 = v22.t()
        v24 = c16.expand((8, 4)).mul(v23)
        v25, v26 = torch.chunk(v24, 2, dim=1)
        v8 = torch.concat([v25, v26], 1)
        v28 = ~x0
        v29 = v28.bitwise_not()
        v31 = self.w_v30.bitwise_not()
        v32 = v31.bitwise_not()
        v10 = v29.lt(v32)
        v34 = torch.full((4, 8), 4, dtype=torch.uint8, device=x0.device)
        v35 = torch.bitwise_not(v34)
        v36 = torch.bitwise_not(v35)
        v37 = v36 < v29
        c31 = torch.full((), 4, dtype=torch.uint8, device=x0.device)
        v38 = torch.where(v37, c31.expand((4, 8)), x0)
        c26 = torch.full((), 0, dtype=torch.uint8, device=x0.device)
        v39 = c26.where(v10, v38)
        v12 = torch.clip(v39, max=3)
        v41 = ~v22
        v42 = v41.bitwise_not_()
        v43 = v42.bitwise_not_()
        v44 = torch.lt(v43, v43)
        v13 = v44.permute((1, 0))
        return (v4, v8, v10, v12, v13,)
