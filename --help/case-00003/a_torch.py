import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c4 = arrays["w_7c9fa136d4413fa6_scalar_int64"]
        self.w_c10 = torch.nn.Parameter(arrays["w_0f9e0aa006f3782e_2_float32"], requires_grad=False)

    def forward(self, x0, x1, x3, x8, x9, x15, x17, x20):
        v2 = x1.reshape(())
        v5 = x3[:, self.w_c4.reshape(1)].reshape((2, 4, 2))
        v11 = torch.group_norm(x8, 2, x9, self.w_c10, 9.999999747378752e-06)
        v12 = torch.flip(v11[:, :, 0:4:3], (2,))
        v13 = v12[:, :, 0:2]
        v14 = torch.sum(torch.abs(x0), dim=(0, 1), keepdim=True).squeeze((0, 1))
        v16 = F.linear(x8, x15.t())
        v18 = torch.where(v16 < 0, x17 * v16, v16)
        v19 = v13 + v13
        v21 = F.linear(v5, x20.t())
        return (v2, v14, v18, v19, v21, v11,)
