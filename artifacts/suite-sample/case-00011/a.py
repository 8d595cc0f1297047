import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_c3", arrays["w_c44ad0951d605990_5x3_int64"])

    def forward(self, x0, x1, x3):
        v4 = x1.reshape(924, 1).scatter_reduce(0, (torch.remainder(self.w_c3[..., 0], 4) * 231 + torch.remainder(self.w_c3[..., 1], 7) * 33 + torch.remainder(self.w_c3[..., 2], 33) * 1).reshape(-1, 1).expand(-1, 1), x3.reshape(-1, 1), reduce='prod').reshape((4, 7, 33))
        v5 = torch.tan(x1)
        v8 = torch.stack(torch.broadcast_tensors(x0, x0, x0)).amax(0)
        v16 = x3.hardshrink(0.5)
        v15, = self.around(v8)
        return (v4, v5, v15, v16,)

    def around(self, v8):
        return self.part(v8)

    def part(self, v8):
        v9 = torch.sub(v8, v8)
        v11 = v9.div(1.4142135381698608)
        v12 = v11.erf_()
        c12 = torch.full((), 1.0, dtype=torch.float32, device=v8.device)
        v14 = v12.add_(c12.expand((33, 33)))
        v17 = v9.mul(v14)
        v15 = v17.mul(0.5)
        return (v15,)
