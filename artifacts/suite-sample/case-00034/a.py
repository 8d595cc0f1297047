import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x5):
        v4 = torch.full((3, 16, 1, 2), 1.0, dtype=torch.float32, device=x0.device)
        v5 = F.conv2d(x5, v4, None, stride=(2, 1), padding=(0, 1), dilation=(1, 1), groups=1)
        v8 = v5[:, 1:2:2, :, :]
        v10 = v8.mean(dim=(0, 1, 2), keepdim=True)
        v3 = torch.amax(x0, dim=(0, 1), keepdim=True)
        v15 = v3.sub(v3)
        c9 = torch.full((), -1.0, dtype=torch.float16, device=x0.device)
        v17 = v15.mul_(c9)
        v12 = torch.argmin(v17, dim=0, keepdim=False)
        v13 = torch.min(x5, dim=3, keepdim=True).indices
        v9 = v8.reshape((7, 1, 1, 3, 2, 3)).permute((0, 3, 5, 1, 2, 4)).reshape((7, 9, 1, 2))
        v14 = F.log_softmax(v9, dim=3)
        return (v10, v12, v13, v14, v3, v8, v9,)
