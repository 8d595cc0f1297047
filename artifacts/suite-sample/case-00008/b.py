import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c16", arrays["w_2f4b3a8cc72595ff_2x1x2x1_float64"])

    def forward(self, x0, x1):
        v2 = torch.sign(x1)
        c3 = torch.full((), 0.0, dtype=torch.float64, device=x0.device)
        v6 = torch.full((1, 1, 2, 1), 1.0, dtype=torch.float64, device=x0.device)
        v9 = c3 * v6
        v10 = torch.lt(x1, v9)
        v11 = -x1
        v16 = v11.where(v10, x1)
        v18 = torch.mul(v2, v16)
        v19 = torch.hardshrink(v18, 0.0)
        v4 = v19.hardshrink(1.0)
        v21 = torch.full((2,), 0, dtype=torch.int64, device=x0.device)
        v7 = torch.index_add(v18, 0, v21, self.w_c16, alpha=2.0)
        v8 = x0.flip((0,))
        v24 = torch.mul(x1, 0.0)
        v25 = torch.round(x1)
        v26 = torch.maximum(v25, v25)
        v27 = torch.min(v26, v26)
        v28 = torch.max(v25, v24)
        v29 = torch.min(v26, v28)
        v30 = v27.minimum(v29)
        v15 = torch.stack(torch.broadcast_tensors(v30, v25)).amin(0)
        v32 = v24.maximum(v15)
        v33 = torch.stack(torch.broadcast_tensors(v32, v32)).amin(0)
        v34 = torch.stack(torch.broadcast_tensors(v2, v2)).amax(0)
        v35 = v34 * v16
        v36 = torch.mul(v35, v9)
        v37 = torch.minimum(v32, v36)
        v38 = torch.minimum(v33, v37)
        v39 = torch.min(v24, v38)
        v12 = -v39
        v41 = v24.lt(v9)
        v42 = v12.to(dtype=torch.uint8)
        v43 = v24.type(torch.uint8)
        v13 = v42.where(v41, v43)
        v14 = v18 - torch.tanh(v18)
        v17 = v9 ** v39
        return (v4, v7, v8, v12, v13, v14, v15, v17,)
