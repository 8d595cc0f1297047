"""Code that the Torch compilers share: source to a Model, arrays to tensors and back, process settings."""

from __future__ import annotations

import os

# OpenMP reads these once, when Torch is imported. Threads that wait must not take the time of other workers.
os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from . import _source, _torch_memory

Array = tuple[str, "np.ndarray[Any, Any]"]

_device = torch.device("cpu")


def start(options: dict[str, Any]) -> None:
    """Set the device and the number of threads. Raises RuntimeError where there is no such device."""
    global _device
    _device = torch.device(options.get("device", "cpu"))
    if "threads" in options:
        torch.set_num_threads(options["threads"])
    if _device.type == "cuda":
        if not torch.cuda.is_available():
            raise RuntimeError(f"device cuda: torch {torch.__version__} finds no CUDA device; use --device cpu")
        # Float32 must mean float32, and sums of half precision must accumulate in float32.
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False


@dataclass(frozen=True)
class Loaded:
    """A model, and how to call and compile it.

    - `layouts`: the memory layout of each input (see `lay_out`; contiguous where the list ends).
    - `mode`: no_grad, inference (inference_mode), grad (floating inputs require gradients, which a run computes, too),
      or train (training mode).
    - `dynamic` is torch.compile's own option, `freezing` Inductor's.
    - `wide`: tensors made without a type are float64.
    - `updates`: pairs of an output's index and an input's index. Such outputs are the input's final value; the model
      returns only the other outputs.
    - `numbers`: how many of the last inputs are Python numbers.
    - `forward_only`: not empty where Torch cannot differentiate the uncompiled model. Runs then compute no gradients.
    """

    model: torch.nn.Module
    layouts: Sequence[str] = ()
    mode: str = "no_grad"
    dynamic: bool = False
    freezing: bool = False
    wide: bool = False
    updates: Sequence[tuple[int, int]] = ()
    numbers: int = 0
    forward_only: list[str] = field(default_factory=list)


def load(artifact: dict[str, Any]) -> Loaded:
    """Execute the source, and build its `Model` from the arrays."""
    arrays = {name: tensor(array) for name, array in artifact["arrays"].items()}
    model: torch.nn.Module = _source.module_of(artifact["source"]).Model(arrays)
    program = Loaded(model.to(_device), **artifact["setup"])
    program.model.train(program.mode == "train")
    return program


class Results(list["Array"]):
    """The results of a run, and its effects on memory (see `_torch_memory.Watch`), if known.

    `gradients` has the gradient of a weighted sum of the results by each floating input, by the input's number.
    """

    memory: dict[str, Any] | None = None
    gradients: dict[int, Array] | None = None


def eager(program: Loaded, inputs: Sequence[Array]) -> Results:
    """Like `run`, for the uncompiled model. If Torch cannot differentiate it, later runs compute no gradients."""
    try:
        return run(program, inputs)
    except RuntimeError as error:
        if program.mode != "grad" or program.forward_only:
            raise
        program.forward_only.append(str(error))
        return run(program, inputs)


def run(program: Loaded, inputs: Sequence[Array]) -> Results:
    """Call the program's model, compiled or not, on fresh copies of the inputs."""
    grad = torch.set_grad_enabled(program.mode == "grad")
    with torch.inference_mode(program.mode == "inference"), grad, _default_type(program.wide):
        tensors = _arguments(program, inputs)
        watch = _torch_memory.Watch(tensors)
        returned = outputs = [*program.model(*tensors, *_numbers(program, inputs))]
        for place, number in program.updates:
            outputs = [*outputs[:place], tensors[number], *outputs[place:]]
        updated = {place for place, _ in program.updates}
        places = (place for place in range(len(outputs)) if place not in updated)
        results = Results(map(to_array, outputs))
        results.memory = watch.seen(program.model, [*zip(places, returned)])
        if program.mode == "grad" and not program.forward_only:
            results.gradients = {number: to_array(x) for number, x in gradients(outputs, tensors).items()}
        return results


@contextmanager
def _default_type(wide: bool) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64 if wide else before)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def differentiable(program: Loaded, inputs: Sequence[Array]) -> bool:
    """Whether Torch can differentiate the uncompiled model, with `mode` grad."""
    eager(program, inputs)
    return not program.forward_only


def _arguments(program: Loaded, inputs: Sequence[Array]) -> list[torch.Tensor]:
    layouts = [*program.layouts, *["contiguous"] * len(inputs)]
    arrays = inputs[: len(inputs) - program.numbers]
    tensors = [lay_out(tensor(array), layout) for array, layout in zip(arrays, layouts)]
    if program.mode == "grad":
        return [t.detach().requires_grad_(computes(t)) for t in tensors]
    return tensors


def _numbers(program: Loaded, inputs: Sequence[Array]) -> list[float]:
    return [values.item() for _, values in inputs[len(inputs) - program.numbers :]]


def gradients(outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor]) -> dict[int, torch.Tensor]:
    """The gradients of a sum of all outputs' elements, with different weights, by the inputs that require them.

    The keys are the inputs' numbers; there are none where no output depends on any of them.
    """
    leaves = {number: x for number, x in enumerate(inputs) if x.requires_grad}
    reached = [y for y in outputs if y.requires_grad and computes(y)]
    if not leaves or not reached:
        return {}
    weights = [torch.cos(torch.arange(y.numel(), device=y.device)).reshape(y.shape).to(y.dtype) for y in reached]
    found = torch.autograd.grad(reached, [*leaves.values()], weights, allow_unused=True)
    return {number: torch.zeros_like(leaves[number]) if g is None else g for number, g in zip(leaves, found)}


def lay_out(value: torch.Tensor, layout: str) -> torch.Tensor:
    """The same values in another memory layout.

    - `transposed`: dimensions in reverse order; `channels_last`
    - `sliced`: the middle of a larger tensor
    - `stepped`: every second element along the last dimension
    - `offset`: behind one element
    - `expanded:N`: dimension N, along which the values repeat, has stride 0
    """
    if layout == "transposed":
        return value.permute(*range(value.ndim)[::-1]).contiguous().permute(*range(value.ndim)[::-1])
    if layout == "channels_last":
        return value.contiguous(memory_format=torch.channels_last if value.ndim == 4 else torch.channels_last_3d)
    if layout == "sliced":
        larger = value.new_zeros([size + 2 for size in value.shape])
        inner = larger[tuple(slice(1, -1) for _ in value.shape)]
        return inner.copy_(value)
    if layout == "stepped" and value.ndim:
        return value.new_zeros([*value.shape[:-1], 2 * value.shape[-1]])[..., ::2].copy_(value)
    if layout == "offset":
        return value.new_zeros(value.numel() + 1)[1:].view(value.shape).copy_(value)
    if layout.startswith("expanded:"):
        return value.narrow(int(layout.split(":")[1]), 0, 1).expand(value.shape)
    return value


_FLOAT8 = {"float8e4m3fn": "float8_e4m3fn", "float8e5m2": "float8_e5m2"}
"""Torch's names of 8-bit floating-point types."""

_FLOAT8_NAMES = {name: ours for ours, name in _FLOAT8.items()}


def computes(value: torch.Tensor) -> bool:
    """Whether Torch computes gradients in the tensor's type: floating point with more than 8 bits."""
    return value.is_floating_point() and value.element_size() > 1


def tensor(array: Array) -> torch.Tensor:
    """A new tensor on the device."""
    dtype, values = array
    if dtype == "bfloat16":
        return torch.tensor(values.view(np.int16), device=_device).view(torch.bfloat16)
    if dtype in _FLOAT8:
        return torch.tensor(values, device=_device).view(getattr(torch, _FLOAT8[dtype]))
    if dtype in ("int4", "uint4"):
        raise NotImplementedError("Torch has no tensors of 4-bit integers")
    return torch.tensor(values, device=_device)


def to_array(value: torch.Tensor) -> Array:
    """The inverse of `tensor`. Raises TypeError where NumPy has no such dtype."""
    value = value.detach().cpu().resolve_conj().resolve_neg()
    if value.dtype == torch.bfloat16:
        return "bfloat16", value.contiguous().view(torch.int16).numpy().view(np.uint16)
    dtype = str(value.dtype).replace("torch.", "")
    if dtype in _FLOAT8_NAMES:
        return _FLOAT8_NAMES[dtype], value.contiguous().view(torch.uint8).numpy()
    return dtype, value.numpy()
