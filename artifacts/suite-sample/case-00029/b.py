import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x2, x13, x14):
        v4 = torch.min(x0, dim=-1, keepdim=False).indices
        v5 = torch.clamp(v4, min=4, max=5)
        v6 = v5.clamp_min(4)
        v9 = torch.clamp(v6, min=1, max=5)
        v8 = F.silu(x0)
        v13 = F.pad(v8, (1, 2), 'constant', 0.0)
        v14 = v13[1:3]
        v10 = F.silu(v14)
        v17 = torch.norm(x2, p=2, dim=(0, 1), keepdim=True)
        v18 = torch.unsqueeze(v17, 0)
        v19 = v18.max(0, True)[0]
        v20 = v19.amax(dim=(0,), keepdim=False)
        v11 = torch.sign(v20)
        v22 = F.pad(x2, (1, 2, 0, 0), value=0.0)
        v23 = v22[:, 1:8]
        v12 = torch.sin(v23)
        v25, v26 = torch.split(x13, [1, 1], dim=-3)
        v27, v28 = torch.split(x14, [1, 1], dim=-3)
        v29 = torch.conv2d(v25, v27, None, stride=(1, 2), padding=(1, 1), dilation=(1, 1), groups=1)
        v31 = torch.conv2d(v26, v28, None, stride=(1, 2), padding=(1, 1), dilation=(1, 1), groups=1)
        v32 = v31.to(torch.float64)
        v33 = v29 + v32
        v15 = v33.to(torch.float32)
        return (v9, v10, v11, v12, v15,)
