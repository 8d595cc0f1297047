import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c4 = arrays["w_0c5aeb6557961620_33_int32"]
        self.register_buffer("w_c9", arrays["w_5b03d068b1ffd655_33_int8"])

    def forward(self, x2, x4, x6, x12):
        v5 = x2 * self.w_c4
        v6 = v5.to(dtype=torch.int8)
        v7 = torch.roll(v6, (30,), (-1,))
        v8 = torch.roll(v7, (-30,), (-1,))
        v13 = torch.stack(torch.broadcast_tensors(v8, self.w_c9, v8, x12)).amax(0)
        v11 = F.hardtanh(x2, min_val=-1, max_val=1)
        v12 = torch.add(x4, v11)
        v15 = v12 + x6
        v18 = torch.stack(torch.broadcast_tensors(v11, v15)).amax(0)
        v19 = torch.stack(torch.broadcast_tensors(v11, v18)).amin(0)
        v20 = x4 + v19
        v21 = x6.reshape((3, 11))
        v22 = v21.reshape((33,))
        v23 = v20.add(v22)
        v14 = v23.to(torch.uint8)
        v16 = v20.abs().sum(dim=(0,), keepdim=True, dtype=torch.int32)
        v26 = torch.clip(v20, min=0, max=4)
        v28 = v26.sub_(0)
        v17 = v28.neg_()
        return (v13, v14, v16, v17,)
