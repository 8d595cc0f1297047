import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v44 = arrays["w_df3f619804a92fdb_1x1_float32"]

    def forward(self, x0, x1, x6, x7, x9, x10):
        v6 = torch.amax(x0, dim=(0, 2, 3), keepdim=False)
        v7 = v6.amax(dim=(0,), keepdim=False)
        v8 = v6.reshape(())
        v9 = torch.stack(torch.broadcast_tensors(v7, v8, x6, x7)).amax(0)
        v10 = v9 + v7
        v13 = torch.bitwise_not(v10)
        v15 = v9 + v13
        v16 = ~v15
        v18 = v6.expand((2, 1))
        v19 = v18.narrow(-2, 1, 1)
        v20 = torch.reshape(v19, (1,))
        v21 = torch.squeeze(v20, (-1,))
        v22 = x7.type(torch.int16)
        v23 = torch.broadcast_to(v22, (2,))
        v24 = v23.type(torch.uint8)
        v25 = v24[1:2]
        v26 = torch.reshape(v25, ())
        v27 = torch.stack(torch.broadcast_tensors(v16, v21, x6, v26)).amax(0)
        v11 = torch.minimum(torch.minimum(v27, v16), x10)
        v29 = torch.bitwise_not(v20)
        v30 = torch.cat((v20, v29,), dim=-1)
        v31 = torch.cat((v29, v20,), dim=-1)
        v32 = v30.add(v31)
        v33, v34 = torch.split(v32, [1, 1], dim=-1)
        v12 = ~v33
        v36 = x1.permute((2, 3, 0, 1))
        v37 = v36.logical_not()
        v38 = torch.broadcast_to(v37, (1, 1, 17, 17))
        v39 = torch.cat((v38, v38,), dim=-3)
        v40 = v39.logical_not()
        v41, v42 = torch.split(v40, [1, 1], dim=-3)
        v14 = torch.permute(v41, (1, 3, 2, 0))
        v45 = torch.block_diag(x9, self.w_v44)
        v17 = torch.asinh(v45)
        return (v11, v12, v14, v17,)
