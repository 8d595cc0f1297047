import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c9 = torch.nn.Parameter(arrays["w_5596c327e61728e7_scalar_float16"], requires_grad=False)

    def forward(self, x0, x5):
        v4 = torch.full((3, 16, 1, 2), 1.0, dtype=torch.float32, device=x0.device)
        v5 = F.conv2d(x5, v4, None, stride=(2, 1), padding=(0, 1), dilation=(1, 1), groups=1)
        v8 = v5[:, 1:2:2, :, :]
        v10 = torch.mean(v8, dim=(0, 1, 2), keepdim=True)
        v3 = x0.amax(dim=(0, 1), keepdim=True)
        v15 = v3.sub(v3)
        v17 = torch.mul(v15, self.w_c9)
        v12 = v17.argmin(-2, keepdim=False)
        v13 = x5.argmin(-1, keepdim=True)
        v9 = v8.reshape((7, 1, 1, 3, 2, 3)).permute((0, 3, 5, 1, 2, 4)).reshape((7, 9, 1, 2))
        v14 = torch.log_softmax(v9, dim=-1)
        return (v10, v12, v13, v14, v3, v8, v9,)
