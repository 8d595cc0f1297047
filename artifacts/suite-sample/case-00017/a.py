import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x1):
        c2 = torch.full((), 21, dtype=torch.int32, device=x0.device)
        v5 = x0.bitwise_right_shift(c2)
        c5 = torch.full((), -2, dtype=torch.int64, device=x0.device)
        v4 = v5[:, :, :, c5.reshape(1)].reshape((3, 3, 32))
        v7 = v5.to(torch.int16)
        v12 = x1[8:18]
        v14 = torch.concat([v12, v12], 0)
        v9 = v14[2:13]
        v16 = v14.max()
        v10 = v16.new_zeros(v16.shape)
        v11 = torch.reshape(v12, (1, 10))
        v13 = torch.min(v14, dim=0, keepdim=True).values
        return (v4, v7, v9, v10, v11, v13, v16,)
