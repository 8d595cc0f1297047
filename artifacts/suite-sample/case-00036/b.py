import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x2, x5):
        v3 = torch.tile(x2, [1, 2])
        v4 = v3[:, 4:8]
        v7 = torch.nansum(x0, dim=(0,), keepdim=True, dtype=torch.float64)
        v8 = v7[0:1, 0:1, 0:4]
        v9 = torch.lt(v4.expand((1, 1, 4)), v8)
        v10 = v9.logical_not()
        v13 = x5.reshape((1,))
        v14 = torch.max(v13, dim=0, keepdim=True).values.squeeze((0,))
        v6 = torch.where(v10, v14, v8)
        v17 = torch.max(v6, dim=2, keepdim=True).values
        v19 = v6.sub(v17)
        v20 = v19.exp_()
        v21 = torch.sum(v20, dim=(2,), keepdim=True, dtype=torch.float64)
        v11 = v20 / v21.expand((1, 1, 4))
        v12, v25 = F.adaptive_max_pool1d(v8, (1,), return_indices=True)
        v26, v27 = F.adaptive_max_pool1d(v7, (1,), return_indices=True)
        v28 = torch.rot90(v27, 1, (0, 1))
        v12_1 = torch.rot90(v28, -1, (0, 1))
        return (v11, v12, v12_1, v6,)
