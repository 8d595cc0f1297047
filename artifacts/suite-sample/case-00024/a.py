import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_c80562c7f8048e61_15_int8"]
        self.register_buffer("w_c7", arrays["w_85e714cd2cd207ee_32_int8"])

    def forward(self, x1, x5, x8):
        v3 = torch.relu(x1)
        v4 = v3.gt(x8)
        v11 = torch.where(v4, v3, self.w_c5)
        v16 = torch.fmod(x5, self.w_c7)
        v9 = F.relu(v3)
        v10 = v9.ge(v3)
        v12 = v3 > v9
        v17 = v10.logical_or(v12)
        v14 = torch.concat([v3, x5], 0)
        v15 = torch.full((1,), 3, dtype=torch.int8, device=x1.device)
        v20 = torch.cat((v14, v15, v14,), dim=0)
        return (v11, v16, v17, v20,)
