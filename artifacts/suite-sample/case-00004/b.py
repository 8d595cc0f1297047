import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c13", arrays["w_29ecd85bc6035055_5x1x5x5_uint32"])
        self.m_v14 = torch.nn.AvgPool1d((3,), stride=2, padding=[0], count_include_pad=False)

    def forward(self, x0, x1, x3, x15):
        v4 = x0.acosh()
        local_1 = v4.new_full((16, 16, 19), 0.0)
        local_1[0:16, 0:16, 1:17] = v4
        v6 = local_1
        v5 = v6[:, :, 1:17]
        v11 = x1[:, :, :, 0:4:3]
        v12 = F.pad(v11, (0, 0, 1, 2, 0, 0, 0, 0), 'constant', 0)
        v7 = F.pad(v12, (0, 0, -1, -2, 0, 0, 0, 0), 'constant', 0)
        v14 = self.m_v14(x0)
        v15 = v14.roll((15,), (1,))
        v8 = torch.roll(v15, (-15,), (1,))
        v19 = x1.flip((0, 1, 2, 3))
        v20 = torch.broadcast_to(v19, (2, 5, 5, 5, 5))
        v21 = v20.narrow(0, 1, 1)
        v2 = torch.squeeze(v21, (0,))
        v10 = self.w_c13 * v2
        v32 = torch.full((16, 17), 2.0, dtype=torch.float32, device=x0.device)
        v33 = torch.flipud(v32)
        v34 = torch.flipud(v33)
        v35 = torch.reshape(v34, (1, 16, 17))
        v30, = self.around(x3)
        v31 = v30.unsqueeze(0)
        v36 = torch.matmul(v31, v35)
        v37 = v36.squeeze((0,))
        v39 = torch.div(v37, 8.0)
        v16 = x15.add(v39)
        return (v5, v7, v8, v10, v16, v2,)

    def around(self, x3):
        def part(x3):
            v25 = torch.sin(x3)
            v26, v27 = torch.split(v25, [3, 13], dim=1)
            v28 = torch.concat([v26, v27], 1)
            v29 = torch.fliplr(v28)
            v30 = v29.flip((1,))
            return (v30,)

        return part(x3)
