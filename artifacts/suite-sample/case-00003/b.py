import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c16 = arrays["w_d0741c3cb33d2c4c_3x3x3x1_float32"]
        self.w_c31 = torch.nn.Parameter(arrays["w_d88c86f15bbea365_scalar_float32"], requires_grad=False)
        self.register_buffer("w_c46", arrays["w_49735ee74d7ac320_3_float32"])
        self.w_c47 = arrays["w_474f81fbdc00df73_3_float32"]
        self.register_buffer("w_c50", arrays["w_c54d3159bb845847_3_float32"])

    def forward(self, x0, x10, x18):
        v3 = x0.argmax(0, keepdim=True)
        v5, v6 = v3.split([1, 2], dim=1)
        v7 = v5[:, 0:1, :, :]
        v8 = v6[:, 0:1, :, :]
        v9 = torch.concat([v7, v8], 1)
        v10 = v3.slice_scatter(v9, 1, 0, 2, 1)
        v2 = torch.reshape(v10, (1, 3, 7, 1, 2))
        v12 = x0.unsqueeze(4)
        v13 = torch.amax(v12, dim=(4,), keepdim=False)
        v14 = v13.flip((1,))
        v16 = v14.flip((1,))
        v17 = torch.fliplr(v16)
        v18 = torch.fliplr(self.w_c16)
        v19 = torch.fliplr(v18)
        v21 = torch.flip(v19, (1,))
        v4 = torch.conv2d(F.pad(v17, (0, 0, 0, 1)), v21, None, stride=(3, 2), padding=(0, 0), dilation=(2, 1), groups=1)
        v23 = torch.ops.aten.upsample_nearest2d(x0, (3, 1))
        v24, v25, v26 = torch.split(v23, [1, 1, 5], dim=0)
        v27, v28 = torch.split(v25, [1, 2], dim=1)
        v29 = v27[:, 0:1, :, :]
        v30 = v28[:, 0:1, :, :]
        v31 = torch.concat([v29, v30], 1)
        v7_1 = torch.slice_scatter(v25, v31, 1, 0, 2, 1)
        v34 = torch.add(v26, self.w_c31.expand((5, 3, 3, 1)))
        v35 = v34.tanh()
        v36 = torch.triu(v35)
        v37 = v35.tril(-1)
        v38 = v36.add(v37)
        v15 = torch.add(v38, v38)
        v40 = F.dropout(x10, training=False)
        v42 = v24[:, 0:2, :, :]
        v43 = v24[:, 2:3, :, :]
        v44 = torch.concat([v42, v43], 1)
        v45 = -v44
        v46 = v40.add(v45)
        v48 = x18.reshape((1, 3))
        v49 = torch.reshape(v48, (3,))
        v20 = F.batch_norm(v46, v49, self.w_c50, self.w_c46, self.w_c47, eps=9.999999747378752e-06)
        return (v2, v4, v7_1, v15, v20, v26,)
