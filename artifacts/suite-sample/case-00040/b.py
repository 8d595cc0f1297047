import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c18 = arrays["w_836173c0bb40bccb_3x3x2_float32"]

    def forward(self, x1, x5, x9):
        v3 = torch.cat((x1, x1,), dim=0)
        v5 = torch.cat((v3, v3,), dim=0)
        v6 = torch.concat([v5, v5], 0)
        v7, v8 = torch.split(v6, [28, 28], dim=0)
        v9, v10 = torch.split(v8, [14, 14], dim=0)
        v12, v13 = torch.chunk(v10, 2, dim=0)
        v14 = v13.max(1, False)[0]
        v15 = v14.reshape((7, 1))
        v17 = v15.reshape((1, 7, 1, 1))
        v18 = torch.broadcast_to(v17, (1, 7, 7, 1))
        v19 = v18.reshape((7, 7))
        v4 = torch.sub(v13, v19)
        v21 = torch.conv1d(x5, self.w_c18, None, stride=(1,), padding=(0,), dilation=(1,), groups=1)
        v22 = v21[:, :, 0:1]
        v23 = v22.max(2, True)[0].squeeze((2,))
        v24 = torch.select_scatter(v21, v23, 2, 0)
        v26 = torch.concat([x9, x9], 0)
        v27 = torch.cat((v26, v26,), dim=0)
        v28 = torch.concat([v27, v27], 0)
        v29, v30 = torch.chunk(v28, 2, dim=0)
        v31, v32 = torch.split(v30, [6, 6], dim=0)
        v33, v34 = torch.split(v32, [3, 3], dim=0)
        v25 = torch.full((3,), 3.0, dtype=torch.float32, device=x1.device)
        v35 = torch.full((3,), 4.0, dtype=torch.float32, device=x1.device)
        v11 = torch.batch_norm(v24, v25, v34, v34, v35, False, 0.1, 9.999999747378752e-06, False)
        v37 = v24[:, 2:3, :]
        v38 = v37.mean(dim=(2,), keepdim=True)
        v40 = v37.sub(v38)
        v41 = v40.neg()
        v42 = v41.neg_()
        v43 = torch.neg(v42)
        v44 = v43 * v40
        v45 = -v44
        v16 = v45.mean(dim=(2,), keepdim=True)
        return (v4, v11, v16,)
