import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c13 = arrays["w_8ce9e5e1f1024c4b_3x2x2_uint8"]

    def forward(self, x0, x1, x5, x11, x13, x15):
        v3 = x1 * x1
        c7 = torch.full((), 2, dtype=torch.uint8, device=x0.device)
        v9 = torch.mul(x5, c7.expand((3, 2, 2)))
        v10 = torch.max(v9)
        v12 = torch.cat((x13, x15,), dim=1)
        v17 = v12.mean(dim=(1,), keepdim=True)
        v19 = torch.divide(v9, self.w_c13, rounding_mode='trunc')
        v15 = torch.ger(x0, x11)
        v16 = v15.permute((0, 1))
        v20 = torch.sum(v16, dim=(0,), keepdim=True, dtype=torch.int32)
        v22 = torch.reshape(x13, (4, 1, 2))
        return (v3, v10, v17, v19, v20, v22,)
