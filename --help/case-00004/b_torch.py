import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_6c3c396ed6b5c36d_scalar_float64"]
        self.register_buffer("w_v30", arrays["w_353c38352a855c80_5x8x5x5x1_bool"])

    def forward(self, x2, x3):
        v4 = torch.gt(x3, 128)
        v3 = F.dropout(x2, training=False)
        v5 = F.dropout(v3, 0.3, False)
        v7 = self.w_c5.mul(self.w_c5)
        v8 = v7.mul(v7)
        v6 = v5 == v8
        v13, v15 = torch.split(x3, [3, 2], dim=3)
        v16 = v15[:, :, 0:1, :, :]
        v7_1 = torch.slice_scatter(v15, v16, 2, 0, 1, 1)
        v10, v20 = v7_1.split([3, 2])
        v22 = v15.split([3, 2])[1]
        v23 = v22[:, :, 0:1, :, :]
        v10_1 = v22.slice_scatter(v23, 2, 0, 1, 1)
        v26 = v5.clamp(min=0.0)
        c20 = x2.new_full((), 2.0, dtype=torch.float64)
        v27 = c20.minimum(v26)
        v12 = torch.gt(v27, v27)
        v29 = x3.argmax(4, keepdim=True)
        v31 = self.w_v30.to(dtype=torch.int64)
        v32 = v31.neg()
        v33 = v29.bitwise_and(v32)
        v14 = v33.bitwise_and_(v32)
        v35 = v13.permute((4, 2, 1, 0, 3))
        c33 = torch.full((), 1, dtype=torch.uint8, device=x2.device)
        v37 = torch.stack(torch.broadcast_tensors(v35, c33.expand((5, 5, 8, 5, 3)))).amax(0)
        v38 = torch.mul(v35, v37)
        v39 = v38.contiguous().view((1, 3000))
        v17 = v39.contiguous().view((5, 5, 8, 5, 3))
        return (v4, v6, v10, v10_1, v12, v14, v17, v7_1,)
