import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c18 = arrays["w_c80562c7f8048e61_15_int8"]
        self.register_buffer("w_c20", arrays["w_85e714cd2cd207ee_32_int8"])

    def forward(self, x1, x5, x8, v36):
        v3 = x8.bitwise_not()
        v4 = ~v3
        v5 = x1.sign()
        v7 = torch.full((15,), 0, dtype=torch.int8, device=x1.device)
        v8 = torch.bitwise_not(v7)
        v9 = ~x1
        v10 = torch.lt(v8, v9)
        v12 = -x1
        v13 = v12.where(v10, x1)
        v14 = torch.mul(v5, v13)
        v15 = v14.relu()
        v18 = v15.bitwise_not()
        v19 = v18.bitwise_not()
        v21 = torch.lt(v4, v19)
        v11 = torch.where(v21, v15, self.w_c18)
        v23 = torch.divide(x5, self.w_c20, rounding_mode='trunc')
        v24 = torch.mul(self.w_c20, v23)
        v16 = x5.sub(v24)
        v26 = torch.relu(x1)
        v27 = torch.relu(v26)
        v28 = torch.add(v27, v27)
        v29 = v28 - v27
        v30 = torch.bitwise_not(v29)
        v31 = v30.bitwise_not()
        v32 = v31.lt(v19)
        v33 = ~v32
        v17 = torch.logical_or(v33, v32)
        v35 = torch.concat([v15, x5], -1)
        v20 = torch.cat((v35, v36, v35,), dim=-1)
        return (v11, v16, v17, v20,)
