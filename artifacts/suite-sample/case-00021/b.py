import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c34", arrays["w_dee9bee38d8ce139_2_float32"])

    def forward(self, x0, x1, x2, x11):
        v4 = torch.stack(torch.broadcast_tensors(x2, x2)).amax(0)
        v5 = torch.stack(torch.broadcast_tensors(x2, v4)).amax(0)
        v6 = torch.stack(torch.broadcast_tensors(x2, v5)).amax(0)
        v10 = torch.stack(torch.broadcast_tensors(v6, v5)).amin(0)
        v11 = torch.stack(torch.broadcast_tensors(v4, v10)).amin(0)
        v13 = torch.stack(torch.broadcast_tensors(v11, x2)).amin(0)
        v14 = torch.max(v13, dim=0, keepdim=False).values
        v3 = v14.unsqueeze(0)
        v17 = x0.unsqueeze(2)
        v18 = F.relu(v17)
        v19 = v18.amax(dim=(2,), keepdim=False)
        v20 = torch.neg(v19)
        v21 = F.max_pool1d(v20, (1,), stride=(1,), padding=(0,), dilation=(1,))
        c17 = torch.full((), -1.0, dtype=torch.float32, device=x0.device)
        v23 = v21 > c17
        c20 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v7 = torch.where(v23, v21, c20)
        v8 = x1[0:1:3, 0:3, :]
        v27 = x0.reciprocal()
        v28, v29, v30 = v27.split([12, 1, 4], dim=0)
        v31, v32 = torch.split(v27, [12, 5], dim=0)
        v33, v34 = v32.split([1, 4], dim=0)
        v9 = torch.cat((v28, v33, v34,), dim=0)
        v36 = x0.relu()
        v37 = torch.conv1d(v36, x11, self.w_c34, stride=(1,), padding=(0,), dilation=(1,), groups=1)
        v39 = v37 + 1.0
        v40 = v39.square_()
        v41 = v37 - 1.0
        v42 = v41 * v41
        v43 = v40.sub_(v42)
        v45 = v43 + 0.25
        v46 = v45.square_()
        v47 = v43 - 0.25
        v48 = torch.square(v47)
        v49 = torch.sub(v46, v48)
        c43 = torch.full((), 0.25, dtype=torch.float32, device=x0.device)
        v50 = torch.add(v49, c43)
        v51 = torch.square(v50)
        v52 = v49.sub(0.25)
        v53 = v52.square()
        v54 = v51.sub(v53)
        v12 = v54 * 0.25
        v15 = torch.max_pool1d(v12, (1,), stride=(1,), padding=(0,), dilation=(1,))
        return (v3, v7, v8, v9, v15, v12,)
