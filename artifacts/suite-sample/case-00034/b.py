import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x5):
        v4 = torch.full((3, 16, 1, 2), 1.0, dtype=torch.float32, device=x0.device)
        v5 = F.conv2d(x5, v4, None, stride=(2, 1), padding=(0, 1), dilation=(1, 1), groups=1)
        v6 = v5[:, 1:2:2, :, :]
        v7 = torch.repeat_interleave(v6, 2, dim=0)
        v8 = v7[0:13:2, :, :, :]
        v15 = v8.flip((0, 1, 2))
        v16 = v15.flip((0, 1, 2))
        v17 = v16.flip((0, 1, 2))
        v10 = v17.mean(dim=(0, 1, 2), keepdim=True)
        v19 = torch.amax(x0, dim=(0, 1), keepdim=True)
        v20 = v19.sub(v19)
        v21 = v20.repeat_interleave(2, 0)
        v22 = v21[0:1:2, :]
        v23 = v22.neg()
        v12 = torch.argmin(v23, dim=0, keepdim=False)
        v25 = x5.type(torch.float64)
        v26 = v25.to(torch.float32)
        v13 = torch.min(v26, dim=3, keepdim=True).indices
        v9 = v8.reshape((7, 1, 1, 3, 2, 3)).permute((0, 3, 5, 1, 2, 4)).reshape((7, 9, 1, 2))
        v29, v30 = torch.split(v9, [2, 5], dim=0)
        v31, v32 = torch.chunk(v29, 2, dim=0)
        v33 = v31.log_softmax(3)
        v34 = v32.log_softmax(3)
        v35 = torch.cat((v33, v34,), dim=0)
        v36, v37 = torch.split(v30, [3, 2], dim=0)
        v38, v39 = v36.split([2, 1], dim=0)
        v40 = torch.log_softmax(v38, dim=3)
        v41 = F.log_softmax(v39, dim=3)
        v42 = torch.concat([v40, v41], 0)
        v43, v44 = torch.split(v37, [1, 1], dim=0)
        v45 = v43.log_softmax(3)
        v46 = v44.log_softmax(3)
        v47 = torch.cat((v45, v46,), dim=0)
        v48 = torch.cat((v42, v47,), dim=0)
        v14 = torch.concat([v35, v48], 0)
        v50 = F.pad(v19, (1, 2, 0, 0), value=0.0)
        v3 = v50[:, 1:2]
        return (v10, v12, v13, v14, v3, v8, v9,)
