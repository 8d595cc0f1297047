import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c17 = arrays["w_c68830a25204a09f_scalar_float32"]
        self.w_c34 = arrays["w_dee9bee38d8ce139_2_float32"]
        self.register_buffer("w_c43", arrays["w_75e253f50979177e_scalar_float32"])

    def forward(self, x0, x1, x2, x11):
        v4 = torch.max(x2, x2)
        v5 = torch.stack(torch.broadcast_tensors(x2, v4)).amax(0)
        v6 = torch.max(x2, v5)
        v10 = torch.stack(torch.broadcast_tensors(v6, v5)).amin(0)
        v11 = torch.stack(torch.broadcast_tensors(v4, v10)).amin(0)
        v13 = torch.minimum(v11, x2)
        v14 = v13.max(0, False)[0]
        v3 = v14.unsqueeze(0)
        v17 = x0.unsqueeze(2)
        v18 = v17.relu()
        v19 = v18.max(2, True)[0].squeeze((2,))
        v20 = v19.neg()
        v21 = torch.max_pool1d(v20, (1,), stride=(1,), padding=(0,), dilation=(1,))
        v23 = torch.gt(v21, self.w_c17)
        c20 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v7 = torch.where(v23, v21, c20)
        v8 = x1[0:1:3, 0:3, :]
        v27 = torch.reciprocal(x0)
        v28, v29, v30 = v27.split([12, 1, 4], dim=0)
        v31, v32 = v27.split([12, 5], dim=0)
        v33, v34 = v32.split([1, 4], dim=0)
        v9 = torch.cat((v28, v33, v34,), dim=0)
        v36 = torch.clamp(x0, min=0)
        v37 = F.conv1d(v36, x11, self.w_c34, stride=(1,), padding='same', dilation=(1,), groups=1)
        v39 = v37.add(1.0)
        v40 = torch.square(v39)
        v41 = v37 - 1.0
        v42 = v41.square()
        v43 = v40 - v42
        v45 = v43.add(self.w_c43)
        v46 = v45.square_()
        v47 = v43.sub(self.w_c43)
        v48 = v47.square_()
        v49 = v46.sub_(v48)
        v50 = torch.add(v49, self.w_c43)
        v51 = v50.square()
        v52 = v49.sub(self.w_c43)
        v53 = v52.square_()
        v54 = v51.sub(v53)
        v12 = v54.mul_(self.w_c43.expand((17, 2, 1)))
        v15 = torch.max_pool1d(v12, (1,), stride=(1,), padding=(0,), dilation=(1,))
        return (v3, v7, v8, v9, v15, v12,)
