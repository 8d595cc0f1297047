import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c35", arrays["w_df3f619804a92fdb_scalar_float32"])

    def forward(self, x1, x3, x7, x10):
        v4 = x1.reshape((1, 64))
        v5 = torch.reshape(v4, (4, 4, 4))
        v6 = x3.select(1, 0)
        v7 = x3.select_scatter(v6, 1, 0)
        v9 = F.conv1d(v5, v7, None, stride=(3,), padding='valid', dilation=(1,), groups=1)
        c9 = torch.full((), 0.0, dtype=torch.float32, device=x1.device)
        v11 = v9 < c9
        v14 = torch.where(v11, c9, v9)
        v16 = torch.max_pool1d(v14, (2,), stride=(1,), padding=(1,), dilation=(1,))
        v17 = F.conv1d(x1, x3, None, stride=(3,), padding='valid', dilation=(1,), groups=1)
        v18 = torch.max_pool1d(v17, (2,), stride=(1,), padding=(1,), dilation=(1,))
        v19 = -v18
        c17 = torch.full((), 0.0, dtype=torch.float32, device=x1.device)
        v21 = torch.lt(v19, c17.expand((4, 7, 3)))
        v22 = torch.where(v21, c17, v19)
        v23 = torch.neg(v22)
        v24 = v16 + v23
        v25 = torch.reshape(x7, (1, 84))
        v26 = v25.reshape((4, 7, 3))
        v27, v28 = v26.split([2, 2], dim=0)
        v29 = torch.concat([v24, v27], 0)
        v30 = F.pad(v29, (0, 0, 0, 0, 0, 2), value=0.0)
        v31 = torch.cat((v18, x7,), dim=0)
        v32, v33 = v31.split([6, 2], dim=0)
        v34 = F.pad(v33, (0, 0, 0, 0, 6, 0), value=0.0)
        v8 = torch.add(v30, v34)
        v36 = -v7
        v38 = v7 < self.w_c35.expand((7, 4, 1))
        v39 = v38.to(torch.float32)
        v40 = torch.mul(v36, v39)
        c40 = torch.full((), 1.0, dtype=torch.float32, device=x1.device)
        v42 = c40.sub(v39)
        v43 = v7 * v42
        v44 = v40.add(v43)
        v45 = v44 + x10
        v12 = v45.add(v7)
        v47 = torch.permute(v24, (2, 1, 0))
        v13 = F.log_softmax(v47, dim=0)
        v49 = -v13
        v15 = torch.min(v49, dim=2, keepdim=True).indices
        return (v8, v12, v15, v13,)
