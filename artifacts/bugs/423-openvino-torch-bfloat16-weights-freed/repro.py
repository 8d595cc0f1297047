"""A converted bfloat16 model reads its weights after they are freed, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import gc
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(16.0).reshape(4, 4).to(dtype))

    def forward(self, x):
        return x + self.weight.float()


def converted(dtype):
    return openvino.convert_model(torch.export.export(Model(dtype), (torch.zeros(4, 4),)))


def results(dtype):
    model = converted(dtype)
    gc.collect()  # the Torch module goes
    others = [torch.full((4, 4), 7.0, dtype=dtype) for _ in range(100)]  # these may get the memory of the weights
    return openvino.compile_model(model, "CPU")([torch.zeros(4, 4).numpy()])[0].ravel().tolist(), others


due = list(map(float, range(16)))
given = {dtype: results(dtype)[0] for dtype in (torch.float32, torch.float16, torch.bfloat16)}
print(f"due: {due}")
for dtype, values in given.items():
    print(f"{dtype}: {values}")
sys.exit(given[torch.bfloat16] != due)
