import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c7 = arrays["w_dbc1b4c900ffe48d_scalar_uint8"]
        self.register_buffer("w_c13", arrays["w_af5570f5a1810b7a_scalar_float64"])
        self.register_buffer("w_c24", arrays["w_8ce9e5e1f1024c4b_3x2x2_uint8"])

    def forward(self, x0, x1, x5, x11, x13, x15):
        v3 = torch.mul(x1, x1)
        v9 = x5.mul(self.w_c7)
        v11 = torch.flip(v9, (-1,))
        v12 = v11.flip((-1,))
        v10 = v12.max()
        v15 = x13 > self.w_c13
        v16 = v15.type(torch.float64)
        v18 = x13.lt(self.w_c13)
        v21 = v18.to(torch.float64)
        v23 = v16 - v21
        v24 = x13.abs()
        v25 = v23 * v24
        v26 = torch.concat([v25, x15], -1)
        v17 = torch.mean(v26, dim=(1,), keepdim=True)
        v28 = torch.div(v9, self.w_c24, rounding_mode='trunc')
        v29 = v28[0:1, :, :]
        v30 = v28[1:3, :, :]
        v19 = torch.concat([v29, v30], -3)
        v32 = torch.full((1, 1), 1, dtype=torch.int32, device=x0.device)
        v33 = torch.tril(v32)
        v34 = torch.outer(x0, x11)
        v35 = torch.permute(v34, (0, 1))
        v36 = v35[:, 0:8]
        v37 = v36[:, 0:1]
        v38 = torch.matmul(v33, v37)
        v39 = v36[:, 1:8]
        v40 = v33.matmul(v39)
        v41 = torch.cat((v38, v40,), dim=-1)
        v42 = v35[:, 8:16]
        v43 = v42[:, 0:1]
        v44 = torch.mm(v33, v43)
        v45 = v42[:, 1:8]
        v46 = torch.mm(v33, v45)
        v47 = torch.concat([v44, v46], -1)
        v48 = torch.cat((v41, v47,), dim=-1)
        v20 = v48.narrow(-2, 0, 1)
        v50 = v23.reshape((4, 1, 2))
        v51 = torch.reshape(v24, (4, 1, 2))
        v22 = v50.mul(v51)
        return (v3, v10, v17, v19, v20, v22,)
