import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c15 = torch.nn.Parameter(arrays["w_bed744e3f886ce5f_16x16_float32"], requires_grad=False)

    def forward(self, x0, x4, x10):
        v3 = torch.cos(x0)
        v4, v5 = torch.split(v3, [3, 12], dim=-1)
        v6, v9 = v5.split([9, 3], dim=-1)
        v10 = torch.concat([v4, v6], -1)
        v12, v14 = v10.split([3, 9], dim=-1)
        v15 = torch.cat((v14, v9,), dim=-1)
        v16 = torch.concat([v4, v15], -1)
        v17 = v16.exp()
        v18 = F.linear(v17, v16)
        v7 = torch.concat([v18, self.w_c15], -2)
        v20 = torch.broadcast_to(v16, (2, 16, 15))
        v21 = torch.stack(torch.broadcast_tensors(v16, v20)).amin(0)
        v22 = v21[1:2, :, :]
        v8 = torch.squeeze(v22, (-3,))
        v24 = torch.full((16, 16), True, dtype=torch.bool, device=x0.device)
        v25 = torch.triu(v24)
        c24 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v27 = x10.where(v25, c24)
        v28 = v24.tril(-1)
        v29 = x10.where(v28, c24)
        v30 = v27.add(v29)
        v11 = v18.add(v30)
        v33 = x4.add(v17)
        v34 = torch.sub(v33, x4)
        v35 = torch.unsqueeze(x0, 0)
        v36 = v35.sum(dim=(0,), keepdim=False, dtype=torch.float32)
        v37 = v34.mul(v36)
        v13 = v37.type(torch.int32)
        return (v7, v8, v11, v13,)
