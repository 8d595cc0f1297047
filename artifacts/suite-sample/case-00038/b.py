import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c30 = arrays["w_ca2fd00fa0011907_scalar_int16"]
        self.register_buffer("w_v35", arrays["w_6e91e92205f42beb_5_float64"])

    def forward(self, x0, x2, x4, c33):
        v3 = torch.permute(x4, (0, 1, 3, 2))
        v4 = torch.matmul(x0, v3)
        v6 = torch.max(v4, v4)
        v7 = torch.reshape(v6, (1, 5, 1, 32, 32))
        v8 = v7.repeat([2, 1, 1, 1, 1])
        v9 = torch.stack(torch.broadcast_tensors(v4, v8)).amin(0)
        v11 = v9[1:2, :, :, :, :]
        v13 = v11.squeeze((0,))
        v16 = v13.div(4.0)
        v18 = v16.transpose(1, 3)
        v19 = v18.transpose(1, 3)
        v20 = torch.swapaxes(v19, 1, 3)
        v21 = F.softmin(-v20, 1)
        v22 = v21.transpose(1, 3)
        v23 = v22.permute((0, 3, 2, 1))
        v24 = v23.transpose(1, 3)
        v25 = x4[:, :, 0:31:2, :]
        v26 = x4[:, :, 1:32:2, :]
        v27 = torch.stack((v25, v26,), dim=3)
        v28 = torch.reshape(v27, (5, 1, 32, 1))
        v10 = v24.matmul(v28)
        v30 = x0.type(torch.int16)
        v31 = v30.permute((2, 1, 3, 0))
        v12 = torch.cat((v31, v31,), dim=3)
        v14 = torch.add(v31, self.w_c30)
        v36 = torch.addmm(self.w_v35, x2, c33.t())
        v37 = F.pad(v36, (1, 2, 0, 0), value=0.0)
        v17 = F.pad(v37, (-1, -2, 0, 0), 'constant', 0.0)
        return (v10, v12, v14, v17,)
