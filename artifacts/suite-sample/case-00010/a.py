import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c11 = arrays["w_3c3eebc61b7f06ae_5x5x1x5_int32"]

    def forward(self, x0, x5, x11):
        v4 = torch.sub(x0, x5)
        c4 = torch.full((), 2, dtype=torch.int32, device=x0.device)
        v9 = v4.ge(c4.expand((5, 5, 1, 5)))
        v7 = torch.max(x0, dim=0, keepdim=True).values.squeeze((0,))
        v8 = v7.reshape((1, 5, 1, 5))
        v3 = torch.stack(torch.broadcast_tensors(x0, v8.expand((5, 5, 1, 5)))).amax(0)
        v13 = torch.stack(torch.broadcast_tensors(v3, self.w_c11, x5)).amax(0)
        v15 = x5 + v13
        v12 = v15.ge(x11)
        v17 = -x5
        v14 = torch.max(v17, dim=3, keepdim=False).indices
        return (v9, v12, v14, v3, v13,)
