import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c29 = arrays["w_af5570f5a1810b7a_scalar_int64"]

    def forward(self, x0, x2):
        v2 = torch.dropout(x0, 0.5, False)
        v3 = F.elu(v2, 1.0)
        v5 = F.selu(x0)
        v7 = torch.cat((v5, v5,), dim=-3)
        v8 = torch.cat((v7, v7,), dim=-1)
        v9 = torch.cat((v8, v8,), dim=-1)
        v12, v13 = v9.split([10, 10], dim=-1)
        v14, v16 = torch.split(v13, [5, 5], dim=-1)
        v17 = v16[1:2, :, :]
        v6, v19 = F.adaptive_max_pool1d(v17, (1,), return_indices=True)
        v20, v21 = F.adaptive_max_pool1d(v5, (1,), return_indices=True)
        v22 = v21[0:1, :, :]
        v23 = torch.cat((v22, v22,), dim=-3)
        v24 = torch.cat((v23, v23,), dim=-1)
        v25 = torch.concat([v24, v24], -1)
        v26, v27 = torch.chunk(v25, 2, dim=-1)
        v28 = v27[:, :, 1:2]
        v29, v30 = torch.chunk(v28, 2, dim=-3)
        v10 = v30[0:1:2, :, :]
        v32 = x2.reshape((16, 2, 2, 1, 4, 16)).permute((0, 3, 4, 1, 5, 2)).reshape((16, 1, 8, 32))
        v11 = v32.any(3, True).any(1, True)
        v34 = v17[:, self.w_c29.reshape(1)].reshape((1, 5))
        v35 = torch.clamp(v34, min=1.0)
        v15 = torch.clip(v35, max=1.0)
        return (v3, v6, v10, v11, v15,)
