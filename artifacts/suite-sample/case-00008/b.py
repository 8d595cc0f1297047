import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c16 = arrays["w_2f4b3a8cc72595ff_2x1x2x1_float64"]
        self.w_v6 = torch.nn.Parameter(arrays["w_5f07eef034c5a21f_1x1x2x1_float64"], requires_grad=False)

    def forward(self, x0, x1):
        v2 = torch.sgn(x1)
        c3 = torch.full((), 0.0, dtype=torch.float64, device=x0.device)
        v9 = c3 * self.w_v6
        v10 = x1.lt(v9)
        v11 = -x1
        v16 = torch.where(v10, v11, x1)
        v18 = v2.mul(v16)
        v19 = F.hardshrink(v18, 0.0)
        v4 = F.hardshrink(v19, 1.0)
        v21 = torch.full((2,), 0, dtype=torch.int64, device=x0.device)
        v7 = torch.index_add(v18, 0, v21, self.w_c16, alpha=2.0)
        v8 = torch.flipud(x0)
        v24 = x1 * 0.0
        v25 = x1.round()
        v26 = torch.max(v25, v25)
        v27 = v26.minimum(v26)
        v28 = torch.max(v25, v24)
        v29 = v26.minimum(v28)
        v30 = torch.stack(torch.broadcast_tensors(v27, v29)).amin(0)
        v15 = v30.minimum(v25)
        v32 = torch.max(v24, v15)
        v33 = torch.minimum(v32, v32)
        v34 = torch.stack(torch.broadcast_tensors(v2, v2)).amax(0)
        v35 = torch.mul(v34, v16)
        v36 = v35.mul(v9)
        v37 = torch.stack(torch.broadcast_tensors(v32, v36)).amin(0)
        v38 = torch.min(v33, v37)
        v39 = torch.stack(torch.broadcast_tensors(v24, v38)).amin(0)
        v12 = v39.neg()
        v41 = v24 < v9
        v42 = v12.to(dtype=torch.uint8)
        v43 = v24.type(torch.uint8)
        v13 = v42.where(v41, v43)
        v14 = F.tanhshrink(v18)
        v17 = v9 ** v39
        return (v4, v7, v8, v12, v13, v14, v15, v17,)
