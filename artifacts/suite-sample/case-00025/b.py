import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = arrays["w_fd2dfe5a970df6ec_15x1_float32"]
        self.w_v57 = torch.nn.Parameter(arrays["w_c52f140690590096_15x2_float32"], requires_grad=False)

    def forward(self, x0, x2):
        v2 = x0.clone()
        v4 = torch.full((15, 1), 0.0, dtype=torch.float32, device=x0.device)
        v5 = torch.neg(v4)
        v6 = x2 + v5
        v7 = torch.max(torch.max(torch.max(v2, v2), v6), v2)
        v12 = torch.stack(torch.broadcast_tensors(v7, self.w_c8)).amax(0)
        v10 = x2.reshape((1, 5, 1, 1, 3))
        v11, v16 = v10.split([3, 2], dim=1)
        v13 = torch.cat((v11, v16,), dim=1)
        v14 = torch.clamp(v7, min=0)
        v20 = torch.broadcast_to(x0, (15, 2))
        v21 = torch.stack(torch.broadcast_tensors(x0, x0, x2, x0)).amax(0)
        v23 = torch.add(v21, v20)
        v25 = v23.mul(3.0)
        v27 = v25.mul_(8.0)
        v28 = x0.add(v27)
        c15 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v29 = torch.gt(c15, v28)
        v30 = ~v29
        v31 = v20.clone()
        v32 = torch.add(v21, x0)
        v33 = torch.full((1, 2), 3.0, dtype=torch.float32, device=x0.device)
        v34 = v33[:, 0:1]
        v36 = v32 * v34
        v37, v38 = v32.split([6, 9], dim=0)
        v40, v41 = torch.split(v33, [1, 1], dim=1)
        v43 = v37.mul(v41.expand((6, 1)))
        v46 = v38 * v41
        v47 = torch.cat((v43, v46,), dim=0)
        v48 = torch.cat((v36, v47,), dim=1)
        v51 = v48.mul(8.0)
        v52 = v31.add(v51)
        v53 = v52.neg()
        v54 = v53.neg()
        v55 = -v54
        v58 = -self.w_v57
        v59 = -v58
        v60 = v59.neg_()
        v61 = v55.lt(v60)
        v62 = v61.logical_not_()
        c56 = torch.full((), 1.0, dtype=torch.float32, device=x0.device)
        v63 = v52.where(v62, c56)
        v64 = torch.where(v30, v63, c15)
        v15 = v64.floor()
        return (v12, v13, v14, v15,)
