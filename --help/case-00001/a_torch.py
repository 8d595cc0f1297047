import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c7 = torch.nn.Parameter(arrays["w_a586bb0d01150043_15x15x7_float32"], requires_grad=False)
        self.register_buffer("w_c13", arrays["w_b4cd0bf0cc8a95d3_1x16_float64"])
        self.m_v16 = torch.nn.ReLU()

    def forward(self, x0, x2, x5, x9, x17):
        v3 = x0.relu()
        v4 = torch.min(v3, 1, keepdim=False).indices
        v6 = torch.rot90(x5, 3, (1, 0))
        v8 = x2 <= self.w_c7
        v10 = x9.where(v8, x2)
        v11 = torch.sum(torch.abs(v4))
        c12 = torch.full((16, 16), 3.0, dtype=torch.float64, device=x0.device)
        v14 = 1.0 * self.w_c13 + 1.0 * (x0 @ c12)
        v15 = v14.neg_()
        v16 = self.m_v16(v15)
        v18 = torch.reshape(x17, (1, 5, 1, 1))
        return (v6, v10, v11, v16, v18,)
