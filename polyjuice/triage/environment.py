"""The useful lines of PyTorch's own description of the environment, ``torch.utils.collect_env``."""

from __future__ import annotations

import re
import subprocess
from functools import cache

#: The lines of ``collect_env`` that are kept: versions, builds, and hardware.
_KEPT = re.compile(
    r"(?:PyTorch version|Is debug build|CUDA used to build PyTorch|ROCM used to build PyTorch|OS|GCC version"
    r"|Clang version|CMake version|Libc version|Python version|Is CUDA available|CUDA runtime version"
    r"|GPU models and configuration|GPU \d+|Nvidia driver version|Architecture|Vendor ID|Model name"
    r"|\[(?:pip3|conda)\] (?:numpy|optree|torch|triton|intel|mkl|onnx)\w*)[=: ]"
)
_VECTORS = re.compile(r"\b(?:avx2|avx512f|amx_tile|avx512_bf16|asimd|sve)\b")
_LIMIT_S = 60


@cache
def collect_env(python: str) -> str:
    """The useful lines of ``python -m torch.utils.collect_env``; "" where an interpreter has no such module."""
    try:
        done = subprocess.run(
            [python, "-m", "torch.utils.collect_env"], capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return kept(done.stdout) if done.returncode == 0 else ""


def kept(text: str) -> str:
    """The useful lines of the script's output, and the vector instructions that the processor has."""
    lines = [re.sub(r":\s+", ": ", line.strip(), count=1) for line in text.splitlines()]
    chosen = [line for line in lines if _KEPT.match(line) and not line.endswith((": N/A", ": Could not collect"))]
    flags = next((line for line in lines if line.startswith("Flags:")), "")
    vectors = dict.fromkeys(_VECTORS.findall(flags))
    return "\n".join([*chosen, *([f"Vector instructions: {' '.join(vectors)}"] if vectors else [])])
