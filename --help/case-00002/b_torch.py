import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c37 = arrays["w_df3f619804a92fdb_scalar_int32"]
        self.register_buffer("w_c50", arrays["w_9d9f290527a6be62_scalar_uint32"])
        self.w_c56 = arrays["w_ff64c2e11d519d48_32x32_uint32"]
        self.register_buffer("w_c60", arrays["w_f0efd1b2f5f3fe7e_32x32_uint32"])
        self.m_v16 = torch.nn.Dropout(0.0)

    def forward(self, x1, x2, x8, x10, x12, x15):
        c6 = torch.tensor(True, dtype=torch.bool, device=x1.device)
        v7 = torch.ones((7, 3, 7), dtype=torch.bool, device=x1.device)
        v8 = c6.expand((7, 3, 7)) & v7
        c9 = torch.scalar_tensor(0, dtype=torch.int32, device=x1.device)
        v12 = torch.where(v8, x1, c9)
        v13 = x2[0:6, :]
        v15 = v13[0:6, :]
        v17 = v15[0:6, :]
        v18 = x2[6:7, :]
        local_1 = v17.new_empty((7, 7))
        local_1[0:6].copy_(v17)
        local_1[6:7].copy_(v18)
        v20 = local_1
        v3 = torch.tensordot(v12, v20, dims=([2], [1]))
        v23 = torch.tensor(1568, dtype=torch.int64, device=x8.device)
        v24 = -v23
        v9 = v24.neg_()
        c23 = torch.tensor([[-1, -2, 4, 0, 6, -4, -6]], dtype=torch.int64, device=x1.device)
        v27 = torch.gather(v20, 0, torch.remainder(c23, 7))
        v29 = torch.div(v27, 3, rounding_mode='trunc')
        v30 = torch.stack((v29, v29), -3)
        v31 = v30.reshape(2, -1)
        local_2 = torch.empty((4, 7), dtype=torch.int32, device=v31.device)
        local_2[0:2] = v31
        local_2[2:4] = v31
        v32 = local_2
        v33 = x10.expand((1, 7))
        v34 = torch.cat((v33, v33,), dim=-2)
        v35 = torch.concat([v34, v34], -2)
        v36 = torch.add(v32, v35)
        v37 = v36[2:4, :]
        v38 = v37[1:2, :]
        c21 = x1.new_full((), True, dtype=torch.bool)
        v11 = torch.where(c21, v38, self.w_c37)
        v41 = torch.lt(x15, x15)
        v42 = torch.eq(x15, x15)
        v43 = v41 | v42
        v44 = v43 & v43
        v45 = torch.logical_or(v43, v43)
        v46 = v43.logical_and(v45)
        v47 = v44 | v46
        v48 = torch.where(v47, x15, x15)
        v49 = v48[3:4]
        v16 = self.m_v16(v49)
        v52 = x12[0:27, :]
        v53 = v52[0:27, :]
        v54 = x12[27:32, :]
        v55 = torch.concat([v53, v54], -2)
        v14 = v55.remainder(self.w_c56)
        v58 = self.w_c50.sub(v14)
        v19 = v58.permute((0, 1))
        v21 = torch.div(v58, self.w_c60, rounding_mode='trunc')
        return (v3, v9, v11, v16, v19, v21, v14,)
