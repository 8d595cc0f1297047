import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c15 = torch.nn.Parameter(arrays["w_bed744e3f886ce5f_16x16_float32"], requires_grad=False)
        self.w_v24 = arrays["w_2661920f2409dd6c_16x16_bool"]

    def forward(self, x0, x4, x10):
        v3 = x0.cos()
        v7, v8, v11, v13 = self.around(v3, x10, x4, x0)
        return (v7, v8, v11, v13,)

    def around(self, v3, x10, x4, x0):
        def part(v3, x10, x4, x0):
            v4, v5 = torch.split(v3, [3, 12], dim=-1)
            v6, v9 = v5.split([9, 3], dim=-1)
            v10 = torch.concat([v4, v6], -1)
            v12, v14 = torch.split(v10, [3, 9], dim=-1)
            v15 = torch.cat((v14, v9,), dim=-1)
            v16 = torch.cat((v4, v15,), dim=-1)
            v17 = torch.exp(v16)
            v18 = F.linear(v17, v16)
            v7 = torch.concat([v18, self.w_c15], -2)
            v20 = v16.expand((2, 16, 15))
            v21 = torch.min(v16, v20)
            v22 = v21[1:2, :, :]
            v8 = torch.reshape(v22, (16, 15))
            v25 = torch.triu(self.w_v24, diagonal=0)
            c24 = torch.full((), 0.0, dtype=torch.float32, device=v3.device)
            v27 = torch.where(v25, x10, c24.expand((16, 16)))
            v28 = self.w_v24.tril(-1)
            v29 = torch.where(v28, x10, c24)
            v30 = torch.add(v27, v29)
            v11 = v18 + v30
            v33 = x4.add(v17)
            v34 = v33 - x4
            v35 = x0.unsqueeze(0)
            v36 = v35.sum(dim=(0,), keepdim=False, dtype=torch.float32)
            v37 = torch.mul(v34, v36)
            v13 = v37.to(torch.int32)
            return (v7, v8, v11, v13,)

        return part(v3, x10, x4, x0)
