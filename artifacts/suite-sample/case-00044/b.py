import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x1, x6, x7, x12):
        v4 = x1.reshape((2, 8, 1, 1, 40))
        v5 = v4.abs().sum(dim=(1, 2), keepdim=True, dtype=torch.float32)
        v7 = x6 + x7
        v8 = v7.repeat_interleave(2, 0)
        v10 = torch.cat((v8, v8,), dim=1)
        v11 = v10[0:1:2, :]
        v12 = v11[:, 7:14]
        v9 = v12.to(torch.int64)
        v14 = x1.amax(dim=(2,), keepdim=True)
        v15 = torch.mean(v14, dim=(2,), keepdim=True)
        v17 = torch.unsqueeze(v15, 1)
        v18 = F.pad(v17, (1, 2, 0, 0, 0, 0, 0, 0), 'constant', 0.0)
        v19 = F.pad(v18, (-1, -2, 0, 0, 0, 0, 0, 0), 'constant', 0.0)
        v20 = torch.reshape(v19, (32, 5, 1))
        v21 = x12.transpose(2, 3)
        v22 = torch.cat((v21, v21,), dim=1)
        v23, v24 = torch.chunk(v22, 2, dim=1)
        v25 = torch.reshape(v23, (32, 1, 5))
        v26 = torch.einsum("bij,bjk->bik", v20, v25)
        v27 = v26.reshape((32, 1, 5, 5))
        v16 = torch.div(v27, 8.0)
        return (v5, v9, v16,)
