import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v4 = torch.nn.Parameter(arrays["w_23a90de3949c5b5e_3x16x1x2_float32"], requires_grad=False)

    def forward(self, x0, x5):
        v5 = torch.conv2d(x5, self.w_v4, None, stride=(2, 1), padding=(0, 1), dilation=(1, 1), groups=1)
        v6 = v5[:, 1:2:2, :, :]
        v7 = torch.repeat_interleave(v6, 2, dim=-4)
        v8 = v7[0:13:2, :, :, :]
        v15 = torch.flip(v8, (-4, -3, -2))
        v16 = torch.flip(v15, (-4, -3, -2))
        v17 = torch.flip(v16, (-4, -3, -2))
        v10 = v17.mean(dim=(0, 1, 2), keepdim=True)
        v19 = torch.amax(x0, dim=(0, 1), keepdim=False).reshape((1, 1))
        v20 = torch.sub(v19, v19)
        v21 = torch.repeat_interleave(v20, 2, dim=-2)
        v22 = v21[0:1:2, :]
        v23 = v22.neg()
        v12 = torch.argmin(v23, dim=-2, keepdim=False)
        v25 = x5.to(torch.float64)
        v26 = v25.to(torch.float32)
        v13 = v26.argmin(-1, keepdim=True)
        v9 = v8.reshape((7, 1, 1, 3, 2, 3)).permute((0, 3, 5, 1, 2, 4)).reshape((7, 9, 1, 2))
        v50 = F.pad(v19, (1, 2, 0, 0), value=0.0)
        v3 = v50[:, 1:2]
        v14, = self.around(v9)
        return (v10, v12, v13, v14, v3, v8, v9,)

    def around(self, v9):
        def part(v9):
            v29, v30 = torch.split(v9, [2, 5], dim=-4)
            v31, v32 = v29.split([1, 1], dim=-4)
            v33 = torch.log_softmax(v31, dim=-1)
            v34 = v32.log_softmax(-1)
            v35 = torch.concat([v33, v34], -4)
            v36, v37 = v30.split([3, 2], dim=-4)
            v38, v39 = torch.split(v36, [2, 1], dim=-4)
            v40 = F.log_softmax(v38, dim=-1)
            v41 = F.log_softmax(v39, dim=-1)
            v42 = torch.cat((v40, v41,), dim=-4)
            v43, v44 = torch.split(v37, [1, 1], dim=-4)
            v45 = v43.log_softmax(-1)
            v46 = F.log_softmax(v44, dim=-1)
            v47 = torch.cat((v45, v46,), dim=-4)
            v48 = torch.cat((v42, v47,), dim=-4)
            v14 = torch.concat([v35, v48], -4)
            return (v14,)

        return part(v9)
