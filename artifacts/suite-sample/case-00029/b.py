import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x2, x13, x14):
        v4 = x0.argmin(0, keepdim=False)
        v5 = torch.clip(v4, min=4, max=5)
        v6 = torch.clamp_min(v5, 4)
        v9 = torch.clip(v6, min=1, max=5)
        v8 = x0 * torch.sigmoid(x0)
        v13 = F.pad(v8, (1, 2), value=0.0)
        v14 = v13[1:3]
        v10 = v14 * torch.sigmoid(v14)
        v17 = torch.sqrt(torch.sum(x2 * x2, dim=(0, 1), keepdim=True))
        v18 = v17[None, :, :]
        v19 = v18.amax(dim=(0,), keepdim=False).reshape((1, 1, 1))
        v20 = v19.amax(dim=(0,), keepdim=False)
        v11 = v20.sign()
        v22 = F.pad(x2, (1, 2, 0, 0), 'constant', 0.0)
        v23 = v22[:, 1:8]
        v12 = torch.sin(v23)
        v25, v26 = torch.chunk(x13, 2, dim=1)
        v27, v28 = torch.chunk(x14, 2, dim=1)
        v29 = F.conv2d(v25, v27, None, stride=(1, 2), padding=(1, 1), dilation=(1, 1), groups=1)
        v31 = F.conv2d(v26, v28, None, stride=(1, 2), padding=(1, 1), dilation=(1, 1), groups=1)
        v32 = v31.type(torch.float64)
        v33 = v29.add(v32)
        v15 = v33.to(dtype=torch.float32)
        return (v9, v10, v11, v12, v15,)
