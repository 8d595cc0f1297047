import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c7 = arrays["w_dbc1b4c900ffe48d_scalar_uint8"]
        self.register_buffer("w_c13", arrays["w_8ce9e5e1f1024c4b_3x2x2_uint8"])

    def forward(self, x0, x1, x5, x11, x13, x15):
        v3 = torch.mul(x1, x1)
        v9 = x5.mul(self.w_c7)
        v10 = v9.max()
        v12 = torch.concat([x13, x15], -1)
        v17 = torch.mean(v12, dim=(1,), keepdim=True)
        v19 = torch.divide(v9, self.w_c13, rounding_mode='trunc')
        v15 = torch.outer(x0, x11)
        v16 = v15.permute((0, 1))
        v20 = v16.sum(dim=(0,), keepdim=True, dtype=torch.int32)
        v22 = x13.reshape((4, 1, 2))
        return (v3, v10, v17, v19, v20, v22,)
