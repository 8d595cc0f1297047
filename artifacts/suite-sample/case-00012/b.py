import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x1, x6, x7, x9, x10):
        v6 = torch.amax(x0, dim=(0, 2, 3), keepdim=False)
        v7 = torch.max(v6)
        v8 = torch.reshape(v6, ())
        v9 = torch.max(torch.max(torch.max(v7, v8), x6), x7)
        v10 = v9 + v7
        v13 = v10.bitwise_not()
        v15 = v9 + v13
        v16 = v15.bitwise_not()
        v18 = v6.expand((2, 1))
        v19 = v18[1:2]
        v20 = torch.squeeze(v19, (-2,))
        v21 = torch.reshape(v20, ())
        v22 = x7.to(dtype=torch.int16)
        v23 = torch.broadcast_to(v22, (2,))
        v24 = v23.type(torch.uint8)
        v25 = v24[1:2]
        v26 = torch.reshape(v25, ())
        v27 = v16.maximum(v21).maximum(x6).maximum(v26)
        v11 = torch.stack(torch.broadcast_tensors(v27, v16, x10)).amin(0)
        v29 = torch.bitwise_not(v20)
        v30 = torch.concat([v20, v29], -1)
        v31 = torch.concat([v29, v20], -1)
        v32 = torch.add(v30, v31)
        v33, v34 = torch.chunk(v32, 2, dim=-1)
        v12 = torch.bitwise_not(v33)
        v36 = x1.permute((2, 3, 0, 1))
        v37 = ~v36
        v38 = v37.expand((1, 1, 17, 17))
        v39 = torch.cat((v38, v38,), dim=-3)
        v40 = ~v39
        v41, v42 = torch.chunk(v40, 2, dim=-3)
        v14 = torch.permute(v41, (1, 3, 2, 0))
        v44 = torch.full((1, 1), 0.0, dtype=torch.float32, device=x0.device)
        v45 = torch.block_diag(x9, v44)
        v17 = v45.asinh()
        return (v11, v12, v14, v17,)
