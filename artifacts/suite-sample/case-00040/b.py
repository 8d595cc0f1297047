import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x0, x1, x8, x9, x11):
        v5 = F.relu(x0)
        v6 = torch.neg(v5)
        v8 = v6.isinf()
        v9 = torch.concat([v8, v8], -1)
        v10, v7 = v9.split([8, 8], dim=-1)
        v12 = torch.einsum("ijk->k", x1).to(torch.int32)
        v13 = torch.einsum("I,J,K->IJK", (v12, x11, v12,)).to(torch.int32)
        v16 = v13.mul(v13)
        v17 = torch.rot90(v16, 1, (-3, -2))
        v18 = torch.rot90(v17, -1, (-3, -2))
        v14 = v18.permute((0, 2, 1))
        v20 = torch.full((33, 8, 1, 8), 0.0, dtype=torch.float32, device=x0.device)
        v21 = torch.cat((v20, x0,), dim=-2)
        v22 = v21[:, :, 1:2, :]
        v3 = torch.clamp(v22, min=0)
        v24 = v3.neg()
        v25 = F.avg_pool2d(v24, (1, 2), stride=(1, 2), padding=(0, 0), count_include_pad=True)
        v26, v27 = torch.split(v25, [7, 26], dim=-4)
        v28, v29 = torch.chunk(x8, 2, dim=-3)
        v30 = torch.concat([v28, v29], -3)
        v31 = torch.reshape(x9, (1, 12))
        v32 = torch.concat([v31, v31], -2)
        v33 = torch.reshape(v32, (24,))
        v34, v35, v36 = torch.split(v33, [12, 9, 3], dim=-1)
        v37 = torch.concat([v35, v36], -1)
        v38 = torch.conv2d(v26, v30, v37, stride=(1, 3), padding=(0, 1), dilation=(2, 1), groups=4)
        v39 = F.conv2d(v27, v30, v37, stride=(1, 3), padding=(0, 1), dilation=(2, 1), groups=4)
        v40 = torch.concat([v38, v39], -4)
        v15 = torch.max_pool2d(v40, (1, 2), stride=(2, 1), padding=(0, 0), dilation=(1, 1))
        return (v7, v14, v15, v3,)
