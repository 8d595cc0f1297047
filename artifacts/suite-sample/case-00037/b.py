import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c33 = arrays["w_c91c540df15c99f0_5x2_float64"]

    def forward(self, x0, x2, x4):
        v3 = x4.permute((0, 1, 3, 2))
        v4 = x0.matmul(v3)
        v6 = torch.stack(torch.broadcast_tensors(v4, v4)).amax(0)
        v7 = v6.unsqueeze(0)
        v8 = v7.repeat([2, 1, 1, 1, 1])
        v9 = torch.min(v4, v8)
        v11 = v9[1:2, :, :, :, :]
        v13 = v11.squeeze((0,))
        v16 = torch.div(v13, 4.0)
        v18 = v16.permute((0, 3, 2, 1))
        v19 = v18.permute((0, 3, 2, 1))
        v20 = v19.transpose(1, 3)
        v21 = F.softmax(v20, dim=1)
        v22 = v21.permute((0, 3, 2, 1))
        v23 = v22.permute((0, 3, 2, 1))
        v24 = v23.transpose(1, 3)
        v25 = x4[:, :, 0:31:2, :]
        v26 = x4[:, :, 1:32:2, :]
        v27 = torch.stack((v25, v26,), dim=3)
        v28 = v27.reshape((5, 1, 32, 1))
        v10 = v24.matmul(v28)
        v30 = x0.type(torch.int16)
        v31 = torch.permute(v30, (2, 1, 3, 0))
        v12 = torch.cat((v31, v31,), dim=3)
        v14 = v31 + -1
        v35 = torch.full((5,), 1.0, dtype=torch.float64, device=x0.device)
        v36 = F.linear(x2, self.w_c33, v35)
        v37 = F.pad(v36, (1, 2, 0, 0), value=0.0)
        v17 = F.pad(v37, (-1, -2, 0, 0), value=0.0)
        return (v10, v12, v14, v17,)
