import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c7 = arrays["w_dbc1b4c900ffe48d_scalar_uint8"]
        self.w_c13 = arrays["w_af5570f5a1810b7a_scalar_float64"]
        self.w_c24 = arrays["w_8ce9e5e1f1024c4b_3x2x2_uint8"]

    def forward(self, x0, x1, x5, x11, x13, x15):
        v3 = torch.mul(x1, x1)
        v9 = torch.mul(x5, self.w_c7)
        v11 = v9.flip((2,))
        v12 = torch.flip(v11, (2,))
        v10 = v12.max()
        v15 = x13.gt(self.w_c13)
        v18 = x13.lt(self.w_c13)
        v21 = v18.to(torch.float64)
        v23 = v15.sub(v21)
        v24 = torch.abs(x13)
        v25 = v23 * v24
        v26 = torch.concat([v25, x15], 1)
        v17 = torch.mean(v26, dim=(1,), keepdim=False).reshape((4, 1))
        v28 = torch.div(v9, self.w_c24, rounding_mode='trunc')
        v29 = v28[0:1, :, :]
        v30 = v28[1:3, :, :]
        v19 = torch.cat((v29, v30,), dim=0)
        v32 = torch.full((1, 1), 1, dtype=torch.int32, device=x0.device)
        v33 = torch.tril(v32)
        v34 = torch.outer(x0, x11)
        v35 = v34.permute((0, 1))
        v36 = v35[:, 0:8]
        v37 = v36[:, 0:1]
        v38 = torch.matmul(v33, v37)
        v39 = v36[:, 1:8]
        v40 = torch.matmul(v33, v39)
        v41 = torch.concat([v38, v40], 1)
        v42 = v35[:, 8:16]
        v43 = v42[:, 0:1]
        v44 = F.linear(v33, v43.t())
        v45 = v42[:, 1:8]
        v46 = torch.mm(v33, v45)
        v47 = torch.concat([v44, v46], 1)
        v48 = torch.concat([v41, v47], 1)
        v20 = v48[0:1]
        v50 = torch.reshape(v23, (4, 1, 2))
        v51 = torch.reshape(v24, (4, 1, 2))
        v22 = v50 * v51
        return (v3, v10, v17, v19, v20, v22,)
