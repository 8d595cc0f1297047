"""Torch in reproducers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks.rendering import Constructors, Rendering, nested
from polyjuice.ir import TensorType, dtypes, mark

#: The first statement of a reproducer, unless a program computes gradients.
_NO_GRADIENTS = "torch.set_grad_enabled(False)"

_GRADIENTS = '''\
def gradients(model, inputs, **options):
    """Return a function that computes the gradients of a weighted sum of all outputs' elements."""
    call = prepare(model, inputs, **options)

    def run():
        leaves = [x for x in inputs if getattr(x, "requires_grad", False)]
        reached = [y for y in call() if y.requires_grad]
        weights = [torch.cos(torch.arange(y.numel(), device=y.device)).reshape(y.shape).to(y.dtype) for y in reached]
        found = torch.autograd.grad(reached, leaves, weights, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, found)]

    return run'''


_CONSTRUCTORS = Constructors("torch", "torch.full({shape}, {value}, {of})", "dtype={}")


def _written(array: np.ndarray) -> str:
    dtype = dtypes.framework_name(dtypes.dtype_of(array))
    return _CONSTRUCTORS.written(array, f"torch.{dtype}") or f"torch.tensor({nested(array, 0)}, dtype=torch.{dtype})"


def _loaded(dtype: str, name: str) -> str:
    if dtype == "bfloat16":
        return f'torch.from_numpy(ARRAYS["{name}{mark(dtype)}"].view(np.int16)).view(torch.bfloat16)'
    if dtype in dtypes.NARROW_FLOATS:
        return f'torch.from_numpy(ARRAYS["{name}{mark(dtype)}"]).view(torch.{dtypes.framework_name(dtype)})'
    return f'torch.from_numpy(ARRAYS["{name}"])'


def _before(artifacts: Sequence[Artifact]) -> list[str]:
    modes = {_mode(artifact) for artifact in artifacts}
    differentiated = any(artifact.setup.get("gradients") for artifact in artifacts)
    return [*([] if "grad" in modes else [_NO_GRADIENTS]), *([_GRADIENTS] if differentiated else [])]


def _here(output: str, device: str, artifacts: Sequence[Artifact]) -> str:
    moved = "" if device == "cpu" else ".cpu()"
    if any(re.search(r"\bimag|conj|adjoint|\.mH\b", str(artifact.source)) for artifact in artifacts):
        moved += ".resolve_conj().resolve_neg()"  # NumPy has no tensors that are read lazily
    return f"{output}.detach(){moved}"


def _inputs(names: Sequence[str], types: Sequence[TensorType], further: Sequence[str], artifact: Artifact) -> list[str]:
    layouts = [*artifact.setup.get("layouts", ()), *["contiguous"] * len(names)]
    texts = [*(laid_out(*x) for x in zip(names, types, layouts, strict=False)), *further]
    if _mode(artifact) != "grad":
        return texts
    tensors = artifact.arguments[: len(artifact.arguments) - artifact.numbers]
    known = [*(type.dtype for type in types), *(dtypes.dtype_of(artifact.arrays[key]) for key in tensors)]
    floating = [*map(dtypes.is_float, known), *[False] * artifact.numbers]
    return [f"{x}.detach().requires_grad_()" if f else x for x, f in zip(texts, floating, strict=True)]


def laid_out(name: str, type: TensorType, layout: str) -> str:
    """An expression for the same values in another memory layout (see ``compilers._torch.lay_out``)."""
    if layout == "transposed" and type.rank > 1:
        back = ", ".join(map(str, reversed(range(type.rank))))
        return f"{name}.permute({back}).contiguous().permute({back})"
    if layout == "channels_last":
        memory_format = "channels_last" if type.rank == 4 else "channels_last_3d"
        return f"{name}.contiguous(memory_format=torch.{memory_format})"
    if layout == "sliced" and type.rank:
        larger = tuple(size + 2 for size in type.shape)
        return f"{name}.new_zeros({larger})[{', '.join(['1:-1'] * type.rank)}].copy_({name})"
    if layout == "stepped" and type.rank:
        wider = (*type.shape[:-1], 2 * type.shape[-1])
        return f"{name}.new_zeros({wider})[..., ::2].copy_({name})"
    if layout == "offset":
        return f"{name}.new_zeros({type.size + 1})[1:].view({type.shape}).copy_({name})"
    if layout.startswith("expanded:"):
        return f"{name}.narrow({layout.split(':')[1]}, 0, 1).expand({type.shape})"
    return name


def _call(text: str, artifact: Artifact, artifacts: Sequence[Artifact]) -> str:
    if _mode(artifact) == "inference":
        return f"torch.inference_mode()({text})"
    mixed = any(_mode(other) == "grad" for other in artifacts)
    return f"torch.no_grad()({text})" if mixed and _mode(artifact) != "grad" else text


def _mode(artifact: Artifact) -> str:
    return str(artifact.setup.get("mode", "no_grad"))


RENDERING = Rendering(
    written=_written,
    loaded=_loaded,
    model="{side}()",
    to_numpy="{output}.numpy()",
    to_single="{output}.float().numpy()",
    type_of='str({output}.dtype).replace("torch.", "")',
    before=_before,
    there=lambda text, device: text if device == "cpu" else f'{text}.to("{device}")',
    here=_here,
    constructors=_CONSTRUCTORS,
    mode=lambda artifact: ".train()" if _mode(artifact) == "train" else ".eval()",
    inputs=_inputs,
    call=_call,
)
