import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x5, x11, c28):
        v4 = x5.reshape((5, 1, 5, 1, 5))
        v5 = v4.squeeze((-4,))
        v6 = x0.reshape((5, 1, 5, 1, 5))
        v7 = torch.squeeze(v6, (-4,))
        v8 = torch.rsub(v5, v7, alpha=1)
        c8 = torch.full((), 2, dtype=torch.int32, device=x0.device)
        v11 = v8 == c8
        v13 = v11.to(dtype=torch.int8)
        v15 = torch.lt(c8, v8)
        v17 = v13.add(v15)
        v9 = v17.type(torch.bool)
        v19 = torch.cat((x11, x11,), dim=-4)
        v20 = torch.cat((v19, v19,), dim=-2)
        v21 = torch.concat([v20, v20], -2)
        v22, v23 = torch.chunk(v21, 2, dim=-2)
        v24, v25 = torch.chunk(v23, 2, dim=-2)
        v26 = v25[5:10, :, :, :]
        v27 = x0.max(0, False)[0]
        v28 = v27.reshape((1, 5, 1, 5))
        v30 = torch.stack(torch.broadcast_tensors(x0, v28)).amax(0)
        v31 = v30.maximum(c28).maximum(x5)
        v32 = torch.add(x5, v31)
        v33 = torch.cat((v32, v32,), dim=-3)
        v34, v35 = torch.chunk(v33, 2, dim=-3)
        v36 = v26 < v34
        v37 = v36.to(dtype=torch.int8)
        v38 = v34.eq(v26)
        v39 = v38.to(dtype=torch.int8)
        v40 = v37.add(v39)
        v12 = v40.to(dtype=torch.bool)
        v43 = torch.neg(x5)
        v44 = torch.concat([v43, v43], -2)
        v45 = torch.cat((v44, v44,), dim=-2)
        v46, v47 = v45.split([2, 2], dim=-2)
        v48, v49 = torch.chunk(v47, 2, dim=-2)
        v50 = v49.flip((-1,))
        v51 = 4 - torch.argmax(torch.flip(v50, (-1,)), -1, False)
        c40 = torch.full((), 4, dtype=torch.int64, device=x0.device)
        v14 = c40.sub(v51)
        v53 = torch.select(v30, -4, 0)
        v3 = v30.select_scatter(v53, -4, 0)
        return (v9, v12, v14, v3,)
