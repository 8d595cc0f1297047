import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("w_v16", arrays["w_df3f619804a92fdb_1x1_float32"])

    def forward(self, x0, x1, x6, x7, x9, x10):
        v6 = torch.amax(x0, dim=(0, 2, 3), keepdim=False)
        v7 = v6.amax(dim=(0,), keepdim=False)
        v8 = v6.reshape(())
        v9 = torch.stack(torch.broadcast_tensors(v7, v8, x6, x7)).amax(0)
        v11 = torch.minimum(torch.minimum(v9, v7), x10)
        v12 = torch.sub(v6, v6)
        v14 = torch.permute(x1, (3, 1, 0, 2))
        v18 = torch.block_diag(x9, self.w_v16)
        v17 = torch.asinh(v18)
        return (v11, v12, v14, v17,)
