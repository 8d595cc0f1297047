import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x2, x5):
        v3 = torch.tile(x2, [1, 2])
        v4 = v3[:, 4:8]
        v7 = x0.nansum(dim=(0,), keepdim=True)
        v8 = v7[0:1, 0:1, 0:4]
        v9 = v4.expand((1, 1, 4)).lt(v8)
        v10 = torch.logical_not(v9)
        v13 = x5.unsqueeze(0)
        v14 = v13.max()
        v6 = torch.where(v10, v14, v8)
        v17 = v6.amax(dim=(2,), keepdim=True)
        v19 = torch.sub(v6, v17.expand((1, 1, 4)))
        v20 = v19.exp()
        v21 = torch.sum(v20, dim=(2,), keepdim=True, dtype=torch.float64)
        v11 = v20 / v21
        v12, v25 = F.adaptive_max_pool1d(v8, (1,), return_indices=True)
        v26, v27 = F.adaptive_max_pool1d(v7, (1,), return_indices=True)
        v28 = v27.rot90(1, (-3, -2))
        v12_1 = v28.rot90(-1, (-3, -2))
        return (v11, v12, v12_1, v6,)
