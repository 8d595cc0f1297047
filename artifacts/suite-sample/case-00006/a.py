import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_d86e8112f3c4c444_scalar_int64"]
        self.w_c7 = arrays["w_ea2845900b5856c9_scalar_float32"]
        self.register_buffer("w_c11", arrays["w_95808a6268a87720_3_float32"])

    def forward(self, x1, x5, x6, x16):
        v2 = torch.max(x1, dim=0, keepdim=False).indices
        v4 = F.embedding(self.w_c5, x1)
        v9 = x5 * self.w_c7
        v10 = v9 @ x6
        v15 = v10 + self.w_c11
        v13 = v15.log2()
        v14 = v15.var(dim=(0, 1), correction=0, keepdim=False)
        v19 = torch.sigmoid(x1)
        v20 = torch.sub(v19, x16)
        v18 = v20.to(dtype=torch.int8)
        return (v2, v4, v13, v14, v18,)
