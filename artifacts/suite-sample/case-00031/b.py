import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c6", arrays["w_5596c327e61728e7_scalar_float16"])

    def forward(self, x0, x12):
        v2 = torch.ops.aten.upsample_nearest2d(x0, (8, 8))
        v13 = x0.amax(dim=(1, 2, 3), keepdim=False).reshape((3, 1, 1, 1))
        v15 = v13 - v13
        v16 = v15.sqrt_()
        v17 = torch.unsqueeze(v16, 2)
        v18 = torch.amax(v17, dim=(2,), keepdim=False).reshape((3, 1, 1, 1, 1))
        v19 = v18.max(2, False)[0]
        v20 = v16.amax(dim=(0,), keepdim=True)
        v21 = torch.flip(v20, (-3,))
        v22 = torch.flip(v21, (-3,))
        v23 = torch.full((1, 1, 1, 1), 1.0, dtype=torch.float16, device=x0.device)
        v24 = v23.flip((-3,))
        v25 = v24.flip((-3,))
        v26 = torch.conv2d(v22, v25, None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1)
        v28 = v19 + v26
        v29 = x12.add(v28)
        v14 = torch.clamp(v29, max=3.0)
        v4, v6 = self.around(v2)
        v10 = torch.sub(v4, v4, alpha=1.0)
        v11 = torch.permute(v10, (2, 0, 3, 1))
        return (v6, v11, v14, v4,)

    def around(self, v2):
        return self.part(v2)

    def part(self, v2):
        v3 = F.max_pool2d(v2, (2, 2), stride=(2, 2), padding=(0, 0), dilation=(1, 1))
        v5 = torch.amax(v3, dim=(1, 2, 3), keepdim=False)
        v4 = torch.reshape(v5, (3, 1, 1, 1))
        v6 = v4.mul(self.w_c6)
        return (v4, v6,)
