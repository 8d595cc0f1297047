import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c22", arrays["w_e40d226a17ff427c_3x17_float32"])
        self.register_buffer("w_c38", arrays["w_7a04044da9d2876e_32_float32"])

    def forward(self, x0, x1, x8, x9, x15):
        v5 = torch.cat((x0, x0,), dim=-3)
        v7 = torch.concat([x0, v5], -3)
        v8, v9 = torch.split(v7, [6, 3], dim=-3)
        v13 = torch.concat([x0, v9], -3)
        v15 = torch.cat((v13, x0,), dim=-3)
        v18, v19 = v15.split([6, 3], dim=-3)
        v20 = torch.cat((v5, v19,), dim=-3)
        v21 = torch.cat((v20, x0,), dim=-3)
        v22, v23 = torch.chunk(v21, 2, dim=-3)
        v24, v25 = torch.split(v23, [3, 3], dim=-3)
        v26 = torch.flip(v25, (-3, -2, -1))
        v27 = torch.log_softmax(v26, dim=-3)
        v6 = v27.exp()
        v30 = (v25 + self.w_c22) / 2
        v31 = torch.stack((x8, x8,), dim=-1)
        v32, v33 = torch.unbind(v31, -1)
        v34 = torch.stack((x9, x9,), dim=-1)
        v35, v36 = v34.unbind(-1)
        v10 = torch.stack(torch.broadcast_tensors(v30, v33, v36)).mean(0)
        v38 = torch.log_softmax(v25, dim=-3)
        v39 = v38.exp()
        v40 = v39.log()
        v11 = v40.neg()
        v42 = torch.amax(v11, dim=(1,), keepdim=False)
        v12 = v42.max(0, False)[0]
        v44 = torch.outer(x1, self.w_c38)
        v45 = v44.unsqueeze(2)
        v14 = torch.max(v45, dim=2, keepdim=False).values
        v16 = F.conv1d(v40, x15, None, stride=(2,), padding='valid', dilation=(1,), groups=1)
        v48 = torch.ceil(x15)
        v49 = torch.cat((v48, v48,), dim=-2)
        v50 = torch.cat((v49, v49,), dim=-3)
        v51 = torch.cat((v50, v50,), dim=-3)
        v52, v53 = torch.split(v51, [34, 34], dim=-3)
        v54, v55 = torch.chunk(v53, 2, dim=-3)
        v17 = v55[:, 3:6, :]
        return (v6, v10, v12, v14, v16, v17, v11,)
