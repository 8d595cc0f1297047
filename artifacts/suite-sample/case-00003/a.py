import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = torch.nn.Parameter(arrays["w_d0741c3cb33d2c4c_3x3x3x1_float32"], requires_grad=False)
        self.register_buffer("w_c18", arrays["w_49735ee74d7ac320_3_float32"])
        self.w_c19 = arrays["w_474f81fbdc00df73_3_float32"]
        self.w_c20 = arrays["w_c54d3159bb845847_3_float32"]

    def forward(self, x0, x10, x18):
        v3 = torch.argmax(x0, dim=0, keepdim=True)
        v2 = v3[:, :, :, None, :]
        v4 = torch.conv2d(F.pad(x0, (0, 0, 0, 1)), self.w_c5, None, stride=(3, 2), padding=(0, 0), dilation=(2, 1), groups=1)
        v8, v7_1, v10 = self.around(x0)
        v13 = v10 + 2.0
        v14 = v13.tanh()
        v15 = v14 + v14
        v18 = torch.sub(x10, v8)
        v20 = F.batch_norm(v18, x18, self.w_c20, self.w_c18, self.w_c19, eps=9.999999747378752e-06)
        return (v2, v4, v7_1, v15, v20,)

    def around(self, x0):
        def part(x0):
            v7 = torch.ops.aten.upsample_nearest2d(x0, (3, 1))
            v8, v7_1, v10 = torch.split(v7, [1, 1, 5], dim=0)
            return (v8, v7_1, v10,)

        return part(x0)
