import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v20 = arrays["w_0f47ecf52af95b17_33x8x1x8_float32"]

    def forward(self, x0, x1, x8, x9, x11):
        v5 = torch.relu(x0)
        v6 = v5.neg()
        v8 = torch.isinf(v6)
        v9 = torch.cat((v8, v8,), dim=-1)
        v10, v7 = torch.split(v9, [8, 8], dim=-1)
        v12 = torch.einsum("ijk->k", x1).to(torch.int32)
        v13 = torch.einsum("i,j,k->ijk", v12, x11, v12).to(torch.int32)
        v16 = v13.mul(v13)
        v17 = v16.rot90(1, (-3, -2))
        v18 = v17.rot90(-1, (-3, -2))
        v14 = v18.permute((0, 2, 1))
        v21 = torch.cat((self.w_v20, x0,), dim=-2)
        v22 = v21[:, :, 1:2, :]
        v3 = F.relu(v22)
        v24 = torch.neg(v3)
        v25 = F.avg_pool2d(v24, (1, 2), stride=(1, 2), padding=(0, 0), count_include_pad=True)
        v26, v27 = torch.split(v25, [7, 26], dim=-4)
        v28, v29 = x8.split([1, 1], dim=-3)
        v30 = torch.cat((v28, v29,), dim=-3)
        v31 = torch.reshape(x9, (1, 12))
        v32 = torch.cat((v31, v31,), dim=-2)
        v33 = torch.reshape(v32, (24,))
        v34, v35, v36 = v33.split([12, 9, 3], dim=-1)
        v37 = torch.concat([v35, v36], -1)
        v38 = torch.conv2d(v26, v30, v37, stride=(1, 3), padding=(0, 1), dilation=(2, 1), groups=4)
        v39 = F.conv2d(v27, v30, v37, stride=(1, 3), padding=(0, 1), dilation=(2, 1), groups=4)
        v40 = torch.concat([v38, v39], -4)
        v15 = F.max_pool2d(v40, (1, 2), stride=(2, 1), padding=(0, 0), dilation=(1, 1))
        return (v7, v14, v15, v3,)
