import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c25", arrays["w_95808a6268a87720_3_float32"])

    def forward(self, x1, x5, x6, x16):
        v2 = torch.max(x1, dim=-2, keepdim=False).indices
        c5 = torch.full((), 2, dtype=torch.int64, device=x1.device)
        v4 = F.embedding(c5, x1)
        v17 = torch.roll(x6, (1,), (-1,))
        v41 = torch.special.expit(x1)
        v42, v43, v44 = x16.split([8, 1, 8], dim=-1)
        v45 = torch.cat((v42, v43, v44,), dim=-1)
        v46 = v41.sub(v45)
        v18 = v46.type(torch.int8)
        v13, v14 = self.around(x5, v17)
        return (v2, v4, v13, v14, v18,)

    def around(self, x5, v17):
        def part(x5, v17):
            v9 = x5 * 3.0
            v10 = torch.concat([v9, v9], -2)
            v11, v12 = torch.chunk(v10, 2, dim=-2)
            v15 = torch.unsqueeze(v12, 2)
            v19 = v17.roll((-1,), (-1,))
            v20 = torch.reshape(v19, (1, 3, 3))
            v22 = torch.mul(v15, v20)
            v23 = torch.sum(v22, dim=(1,), keepdim=False, dtype=torch.float32)
            v24 = v23.type(torch.float64)
            v25 = torch.concat([v24, v24], -1)
            v26, v27 = torch.chunk(v25, 2, dim=-1)
            v28 = self.w_c25.type(torch.float64)
            v29 = torch.broadcast_to(v28, (3, 3))
            v30 = torch.cat((v29, v29,), dim=-1)
            v31, v32 = torch.split(v30, [3, 3], dim=-1)
            v33 = torch.add(v26, v31)
            v34 = v33.type(torch.float32)
            v35 = v34.log()
            v36 = torch.full((3, 3), 2.0, dtype=torch.float32, device=x5.device)
            v37 = torch.log(v36)
            v13 = torch.true_divide(v35, v37)
            v14, v40 = torch.var_mean(v34, dim=(0, 1), unbiased=False, keepdim=False)
            return (v13, v14,)

        return part(x5, v17)
