import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c14", arrays["w_a586bb0d01150043_15x15x7_float32"])
        self.w_c44 = arrays["w_b4cd0bf0cc8a95d3_1x16_float64"]
        self.w_v45 = arrays["w_396d4afe411825be_16x16_float64"]
        self.m_v41 = torch.nn.ReLU()
        self.m_v16 = torch.nn.ReLU()

    def forward(self, x0, x2, x5, x9, x17):
        v5 = torch.maximum(x5, x5)
        v7 = torch.stack(torch.broadcast_tensors(x5, v5)).amin(0)
        v6 = torch.rot90(v7, 3, (1, 0))
        v9 = x9[0:7]
        v12 = v9.broadcast_to((15, 15, 7))
        v13 = torch.swapaxes(v12, 0, 1)
        v14 = torch.transpose(v13, dim0=0, dim1=1)
        v15 = torch.abs(x2)
        v17 = v15.copysign_(x2)
        v19 = v17 <= self.w_c14
        v20 = v19.float()
        v21 = torch.swapaxes(v20, 0, 1)
        v22 = v21.transpose(0, 1)
        v23 = v14.mul(v22)
        v24 = torch.transpose(v23, dim0=0, dim1=1)
        v25 = torch.swapaxes(v24, 0, 1)
        v26 = torch.swapaxes(v17, 0, 1)
        v27 = v26.transpose(0, 1)
        v28 = x0.new_full((15, 15, 7), 1.0, dtype=torch.float32)
        v29 = torch.transpose(v28, dim0=0, dim1=1)
        v30 = v29.sub(v21)
        v31 = v30.transpose(0, 1)
        v32 = torch.mul(v27, v31)
        v33 = torch.permute(v32, (1, 0, 2))
        v34 = torch.permute(v33, (1, 0, 2))
        v10 = torch.stack(torch.broadcast_tensors(v25, v34)).sum(0)
        v36, v37 = x0.split([3, 2])
        v38 = v36[0:3, :]
        v39 = x0[3:5, :]
        v40 = torch.concat([v38, v39], 0)
        v41 = self.m_v41(v40)
        v43 = torch.min(v41, dim=1)[1]
        v11 = torch.sum(torch.abs(v43))
        v46 = torch.addmm(self.w_c44, v40, self.w_v45, beta=1.0, alpha=1.0)
        v47 = torch.neg(v46)
        v16 = self.m_v16(v47)
        v49 = x17.long()
        local_1 = torch.empty((5,), dtype=torch.uint8, device=v49.device)
        local_1[...] = v49
        v50 = local_1
        v51 = v50.to(dtype=torch.int64)
        v52 = v51.reshape((1, 5, 1, 1))
        v18 = v52.type(torch.uint8)
        return (v6, v10, v11, v16, v18,)
