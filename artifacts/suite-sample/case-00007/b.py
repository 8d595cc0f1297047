import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c28 = arrays["w_8e628779e6a74ee0_1x1x3_float32"]
        self.part = self.Part(arrays)

    def forward(self, x0, x2, x4, x9, x16):
        v9 = x2.neg()
        v10 = torch.ge(x2, v9)
        v11 = ~v10
        v12 = v9.where(v11, x2)
        v13 = v12.to(dtype=torch.int32)
        v14 = v13.to(dtype=torch.int8)
        v16 = torch.sign(x2)
        v18 = v16.to(torch.int32)
        v19 = v18.type(torch.int8)
        v20 = v14 * v19
        v6 = torch.signbit(v20)
        v22 = x0.neg()
        v23 = torch.stack(torch.broadcast_tensors(x0, v22)).amax(0)
        v24 = x0.sign()
        v25 = v23.mul(v24)
        v26 = v25 >= v25
        v7 = v26.to(dtype=torch.int32)
        v28 = ~v26
        v29 = torch.logical_not(v28)
        v30 = torch.logical_not(v29)
        v31 = v20.where(v30, v20)
        v5 = v31.lt(x4)
        v8 = torch.tensor([], dtype=torch.int64, device=v5.device)
        v34 = torch.full((1, 1, 1), 1.2683452367782593, dtype=torch.float32, device=x0.device)
        v35 = F.scaled_dot_product_attention(x9, self.w_c28, v34, is_causal=True, scale=0.125)
        v36 = v35.reshape((1, 1))
        v15 = torch.reshape(v36, (1, 1, 1))
        c38 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v47 = c38.ge(x16)
        v48 = v47.logical_not()
        v49 = torch.where(v48, x16, c38)
        v45, v50 = self.part(x9, x16)
        v46 = v45.logical_not_()
        v17 = v49.where(v46, v50)
        return (v6, v7, v8, v15, v17, v5,)

    class Part(torch.nn.Module):
        def __init__(self, arrays):
            super().__init__()
            self.w_c34 = torch.nn.Parameter(arrays["w_b8290328b405287b_3x4_float32"], requires_grad=False)
            self.register_buffer("w_v41", arrays["w_374708fff7719dd5_1x1x4_float32"])

        def forward(self, x9, x16):
            v38 = torch.matmul(x9, self.w_c34)
            v39 = -v38
            v40 = v39.neg_()
            v42 = self.w_v41.neg()
            v43 = v42.neg_()
            v44 = torch.lt(v40, v43)
            v45 = v44.logical_not()
            v50 = torch.stack(torch.broadcast_tensors(v38, x16)).amax(0)
            return (v45, v50,)
