import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c26 = arrays["w_3ab1561d6e88a4f2_3x7x5x1_uint8"]
        self.w_v13 = torch.nn.Parameter(arrays["w_0f9e0aa006f3782e_2x1_float32"], requires_grad=False)

    def forward(self, x2):
        v1 = x2.log_softmax(1)
        v2 = v1 <= v1
        v3 = v2 & v2
        v4 = torch.logical_not(v2)
        v5 = torch.logical_and(v2, v4)
        v6 = v3.logical_and(v5)
        v8 = v6.logical_not()
        v9 = v1.where(v8, v1)
        v10 = torch.ops.aten.upsample_nearest2d(v9, (15, 4))
        v12 = v10.amin(dim=(3,), keepdim=True)
        v16 = x2.matmul(self.w_v13)
        v18 = v16.div(8.0)
        v19 = torch.le(v18, v18)
        v20 = v19.logical_not()
        v21 = v20 & v20
        v22 = torch.logical_and(v19, v20)
        v23 = torch.logical_and(v21, v22)
        v24 = torch.logical_not(v23)
        v7 = v18.where(v24, v18)
        v26 = torch.clamp(v7 * 0.20000000298023224 + 0.5, min=0, max=1)
        v27 = v26.to(dtype=torch.uint8)
        v14 = torch.div(v27, self.w_c26, rounding_mode='trunc')
        v29 = torch.atan(v10)
        v15 = v29.permute((3, 0, 1, 2))
        return (v12, v14, v15, v7,)
