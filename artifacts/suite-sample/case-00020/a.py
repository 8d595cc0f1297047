import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c14", arrays["w_af5570f5a1810b7a_scalar_int64"])

    def forward(self, x1, x2, x5, x10):
        v3 = torch.amax(x2, dim=(0, 2, 3), keepdim=True)
        v4 = torch.relu(v3)
        v7 = torch.max(v3, dim=2, keepdim=False).values.reshape((1, 2, 1, 1))
        v13 = torch.bitwise_and(x1, x5)
        v9 = torch.bitwise_xor(x5, v13)
        v12, v12_1 = torch.median(x2, dim=-2, keepdim=True)
        v16 = self.w_c14 > x10
        v14, = self.around(x10)
        return (v4, v7, v4, v9, v12, v12_1, v14, v16, v3,)

    def around(self, x10):
        def part(x10):
            v19 = torch.reshape(x10, (7,))
            v14 = torch.sum(v19, dim=(0,), keepdim=False, dtype=torch.int64)
            return (v14,)

        return part(x10)
