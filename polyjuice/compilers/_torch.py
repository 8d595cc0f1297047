"""What the Torch compilers share: source to a Model, arrays to tensors and back, the process's settings."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "2")  # OpenMP reads it once, as Torch is imported

import linecache
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import torch

Array = tuple[str, "np.ndarray[Any, Any]"]

_MODULE = "polyjuice_model"
_FILE = "<model>"  # the name of every model's source, so that the traces of equal failures are equal

_device = torch.device("cpu")


def start(options: dict[str, Any]) -> None:
    """Choose the device and the number of threads. Raises RuntimeError where there is no such device."""
    global _device
    _device = torch.device(options.get("device", "cpu"))
    if "threads" in options:
        torch.set_num_threads(options["threads"])
    if _device.type == "cuda":
        if not torch.cuda.is_available():
            raise RuntimeError(f"device cuda: torch {torch.__version__} finds no CUDA device; use --device cpu")
        # Float32 is to mean float32, and sums of half precision are to be kept in float32.
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False


def load(artifact: dict[str, Any]) -> torch.nn.Module:
    """Execute the source, and build its `Model` from the arrays."""
    source = artifact["source"]
    module = ModuleType(_MODULE)
    # Dynamo imports the modules of functions that it inlines by name, and shows source lines in its errors.
    sys.modules[_MODULE] = module
    linecache.cache[_FILE] = (len(source), None, source.splitlines(keepends=True), _FILE)
    exec(compile(source, _FILE, "exec"), module.__dict__)
    arrays = {name: tensor(array) for name, array in artifact["arrays"].items()}
    model: torch.nn.Module = module.Model(arrays)
    return model.to(_device).eval()


def run(program: Any, inputs: Sequence[Array]) -> list[Array]:
    """Call a model, compiled or not, on fresh copies of the inputs."""
    with torch.no_grad():
        return [to_array(output) for output in program(*[tensor(array) for array in inputs])]


def tensor(array: Array) -> torch.Tensor:
    """A new tensor on the device."""
    dtype, values = array
    if dtype == "bfloat16":
        return torch.tensor(values.view(np.int16), device=_device).view(torch.bfloat16)
    return torch.tensor(values, device=_device)


def to_array(value: torch.Tensor) -> Array:
    """The inverse of `tensor`. Raises TypeError where NumPy has no such dtype."""
    value = value.detach().cpu()
    if value.dtype == torch.bfloat16:
        return "bfloat16", value.contiguous().view(torch.int16).numpy().view(np.uint16)
    return str(value.dtype).replace("torch.", ""), value.numpy()
