import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = torch.nn.Parameter(arrays["w_fd2dfe5a970df6ec_15x1_float32"], requires_grad=False)
        self.w_c56 = torch.nn.Parameter(arrays["w_e00e5eb9444182f3_scalar_float32"], requires_grad=False)
        self.w_v4 = torch.nn.Parameter(arrays["w_5dcc1b5872dd9ff1_15x1_float32"], requires_grad=False)

    def forward(self, x0, x2, v33):
        v2 = x0.clone()
        v5 = -self.w_v4
        v6 = x2 + v5
        v7 = torch.max(torch.max(torch.max(v2, v2), v6), v2)
        v12 = torch.stack(torch.broadcast_tensors(v7, self.w_c8)).amax(0)
        v10 = torch.reshape(x2, (1, 5, 1, 1, 3))
        v11, v16 = v10.split([3, 2], dim=1)
        v13 = torch.concat([v11, v16], 1)
        v14 = v7.relu()
        v20 = x0.expand((15, 2))
        v21 = torch.max(torch.max(torch.max(x0, x0), x2), x0)
        v23 = v21.add(v20)
        c21 = torch.full((), 3.0, dtype=torch.float32, device=x0.device)
        v25 = torch.mul(v23, c21)
        c24 = torch.full((), 8.0, dtype=torch.float32, device=x0.device)
        v27 = torch.mul(v25, c24)
        v28 = torch.add(x0, v27)
        c15 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v29 = c15.expand((15, 2)) > v28
        v30 = v29.logical_not_()
        v31 = torch.clone(v20)
        v32 = v21 + x0
        v34 = v33[:, 0:1]
        v52, v61 = self.around()(v32, v34, v31, v33)
        v62 = v61.logical_not()
        v63 = torch.where(v62, v52, self.w_c56)
        v64 = torch.where(v30, v63, c15)
        v15 = v64.floor()
        return (v12, v13, v14, v15,)

    def around(self):
        def part(v32, v34, v31, v33):
            v36 = v32 * v34.expand((15, 1))
            v37, v38 = torch.split(v32, [6, 9], dim=0)
            v40, v41 = torch.chunk(v33, 2, dim=1)
            v43 = v37.mul(v41)
            v46 = torch.mul(v38, v41.expand((9, 1)))
            v47 = torch.cat((v43, v46,), dim=0)
            v48 = torch.concat([v36, v47], 1)
            v51 = v48.mul(8.0)
            v52 = v31 + v51
            v53 = -v52
            v54 = v53.neg_()
            v55 = v54.neg_()
            v57 = torch.full((15, 2), 1.0, dtype=torch.float32, device=v32.device)
            v58 = v57.neg()
            v59 = v58.neg()
            v60 = torch.neg(v59)
            v61 = v55.lt(v60)
            return (v52, v61,)

        return part
