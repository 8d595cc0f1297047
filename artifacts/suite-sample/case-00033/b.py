import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c50 = arrays["w_c5d284b6757650d4_32x8x2_float32"]
        self.register_buffer("w_v4", arrays["w_cbc2c114336c1da8_7x8x7_float32"])

    def forward(self, x0, x3, x15):
        v5, v6 = torch.split(self.w_v4, [6, 1], dim=2)
        v7 = torch.cat((v5, v6,), dim=2)
        v9 = torch.gt(x0, v7)
        v12 = x3.where(v9, x0)
        v14 = v12.type(torch.float16)
        v11 = v14.to(torch.int16)
        v17 = torch.full((7, 8, 8), 2.0, dtype=torch.float32, device=x0.device)
        v18, v19 = v17.split([7, 1], dim=1)
        v20, v21 = torch.split(v18, [6, 1], dim=0)
        v22, v23 = torch.split(v20, [5, 1], dim=0)
        v24, v25 = torch.split(v17, [6, 1], dim=0)
        v26, v27 = torch.split(v24, [5, 1], dim=0)
        v28 = torch.matmul(v26.mT, v22.mT).mT
        v29 = v23.matmul(v27)
        v30 = torch.concat([v28, v29], 0)
        v31, v32 = torch.split(v21, [3, 4], dim=1)
        v33 = torch.bmm(v31, v25)
        v34 = torch.matmul(v25.mT, v32.mT).mT
        v35 = torch.cat((v33, v34,), dim=1)
        v36 = torch.cat((v30, v35,), dim=0)
        v37 = F.pad(v36, (0, 0, 0, 1, 0, 0), 'constant', 0.0)
        v38, v39 = v19.split([6, 1], dim=0)
        v51 = v14.type(torch.float32)
        v52 = torch.where(v51 < 0, 0.0 * v51, v51)
        v53, v54 = self.w_c50.split([17, 15], dim=0)
        v55 = abs(x15)
        v56 = torch.copysign(v55, x15)
        v57, v58 = torch.split(v56, [17, 15], dim=0)
        v59 = torch.conv1d(v52, v53, v57, stride=(1,), padding='valid', dilation=(1,), groups=1)
        v60 = F.conv1d(v52, v54, v58, stride=(1,), padding='valid', dilation=(1,), groups=1)
        v16 = torch.cat((v59, v60,), dim=1)
        v47, = self.around()(v38, v26, v27, v39, v25)
        v48 = torch.add(v37, v47)
        v8 = v48.permute((0, 2, 1))
        v13 = v8.erf()
        return (v11, v13, v16, v8,)

    def around(self):
        def part(v38, v26, v27, v39, v25):
            v40, v41 = v38.split([5, 1], dim=0)
            v42 = torch.matmul(v40, v26)
            v43 = v41.matmul(v27)
            v44 = torch.cat((v42, v43,), dim=0)
            v45 = v39 @ v25
            v46 = torch.cat((v44, v45,), dim=0)
            v47 = F.pad(v46, (0, 0, 7, 0, 0, 0), value=0.0)
            return (v47,)

        return part
