import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c28", arrays["w_3c3eebc61b7f06ae_5x5x1x5_int32"])

    def forward(self, x0, x5, x11):
        v19 = torch.cat((x11, x11,), dim=0)
        v20 = torch.cat((v19, v19,), dim=2)
        v21 = torch.cat((v20, v20,), dim=2)
        v22, v23 = v21.split([2, 2], dim=2)
        v24, v25 = torch.split(v23, [1, 1], dim=2)
        v26 = v25[5:10, :, :, :]
        v27 = torch.max(x0, dim=0, keepdim=False).values
        v28 = torch.unsqueeze(v27, 0)
        v30 = torch.stack(torch.broadcast_tensors(x0, v28.expand((5, 5, 1, 5)))).amax(0)
        v31 = torch.stack(torch.broadcast_tensors(v30, self.w_c28, x5)).amax(0)
        v32 = x5.add(v31)
        v33 = torch.cat((v32, v32,), dim=1)
        v34, v35 = torch.chunk(v33, 2, dim=1)
        v36 = torch.lt(v26, v34)
        v38 = v34.eq(v26)
        v39 = v38.type(torch.int8)
        v40 = v36.add(v39)
        v12 = v40.to(dtype=torch.bool)
        v43 = -x5
        v44 = torch.concat([v43, v43], 2)
        v45 = torch.cat((v44, v44,), dim=2)
        v46, v47 = torch.split(v45, [2, 2], dim=2)
        v48, v49 = torch.chunk(v47, 2, dim=2)
        v50 = torch.flip(v49, (3,))
        v51 = 4 - torch.argmax(torch.flip(v50, (3,)), 3, False)
        c40 = torch.full((), 4, dtype=torch.int64, device=x0.device)
        v14 = c40.sub(v51)
        v53 = v30[0]
        v3 = v30.select_scatter(v53, 0, 0)
        v9, = self.part(x5, x0)
        return (v9, v12, v14, v3, v49,)

    def part(self, x5, x0):
        v4 = x5.reshape((5, 1, 5, 1, 5))
        v5 = torch.reshape(v4, (5, 5, 1, 5))
        v6 = x0.reshape((5, 1, 5, 1, 5))
        v7 = torch.squeeze(v6, (1,))
        v8 = torch.rsub(v5, v7, alpha=1)
        c8 = torch.full((), 2, dtype=torch.int32, device=x5.device)
        v11 = v8.eq(c8)
        v15 = c8.lt(v8)
        v16 = v15.to(torch.int8)
        v17 = v11 + v16
        v9 = v17.to(torch.bool)
        return (v9,)
