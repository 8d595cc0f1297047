import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_df3f619804a92fdb_scalar_float32"]
        self.w_c13 = arrays["w_dee9bee38d8ce139_2_float32"]

    def forward(self, x0, x1, x2, x11):
        v3 = torch.amax(x2, dim=(0,), keepdim=True)
        v10 = x0.relu()
        v11 = torch.sub(self.w_c5, v10)
        v13 = F.max_pool1d(v11, (1,), stride=(1,), padding=(0,), dilation=(1,))
        v7 = F.threshold(v13, -1.0, 0.0)
        v8 = x1[0:1:3, 0:3, :]
        v9 = torch.reciprocal(x0)
        v12 = torch.conv1d(v10, x11, self.w_c13, stride=(1,), padding='same', dilation=(1,), groups=1)
        v15 = torch.max_pool1d(v12, (1,), stride=(1,), padding=(0,), dilation=(1,))
        return (v3, v7, v8, v9, v15, v12, v11,)
