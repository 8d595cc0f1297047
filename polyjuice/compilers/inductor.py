"""PyTorch's torch.compile with its default backend, TorchInductor."""

from __future__ import annotations

from . import _torch  # before Torch itself: it sets what OpenMP reads then

# isort: split
import fcntl
import functools
import gc
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from . import _inductor_knobs, _inductor_lines, _inductor_unit
from ._torch import Array, Loaded

INFO: dict[str, Any] = {
    "traced": 1,
    "format": "torch",
    "needs": "torch>=2.1: pip install 'polyjuice-fuzzer[inductor]'",
    "default": True,
    "levels": ["aot_eager", "aot_eager_decomp_partition", "inductor"],
    "broad": [
        "pattern_matcher",
        "use_pre_grad_passes",
        "use_joint_graph_passes",
        "use_post_grad_passes",
        "epilogue_fusion",
        "max_fusion_size",
        "split_reductions",
        "reorder_for_locality",
        "reordering",
        "pick_loop_orders",
        "layout_optimization",
        "comprehensive_padding",
        "cpp.simdlen",
        "cpp.enable_tiling_heuristics",
        "cpp.enable_loop_tail_vec",
        "cpp.max_horizontal_fusion_size",
    ],
    "switched": {
        "inplace_buffers": False,
        "allow_buffer_reuse": False,
        "pattern_matcher": False,
        "joint_graph_constant_folding": False,
        "use_pre_grad_passes": False,
        "use_joint_graph_passes": False,
        "use_post_grad_passes": False,
        "epilogue_fusion": False,
        "max_fusion_size": 1,
        "split_reductions": False,
        "reorder_for_locality": False,
        "reordering": False,
        "pick_loop_orders": False,
        "layout_optimization": False,
        "comprehensive_padding": False,
        "online_softmax": False,
        "constant_and_index_propagation": False,
        "cpp.weight_prepack": False,
        "cpp.enable_tiling_heuristics": False,
        "cpp.enable_loop_tail_vec": False,
        "cpp.max_horizontal_fusion_size": 0,
    },
    "conditions": {
        "cpp.simdlen": "without SIMD vectorization (`torch._inductor.config.cpp.simdlen = 1`)",
        "threads": "with one thread (`OMP_NUM_THREADS=1`)",
        "variable ATEN_CPU_CAPABILITY=avx2": "with `ATEN_CPU_CAPABILITY=avx2`",
        "variable ATEN_CPU_CAPABILITY=default": "with `ATEN_CPU_CAPABILITY=default`",
    },
    "probe_compiles": False,
    "batches": True,
    "nodes": 20,
    "pack": 24,  # artifacts/README.md has the times of packs of other sizes
    # The source is the comment on `emulate_precision_casts`, off by default, in torch._inductor.config. Operators on
    # half types compute in float32, and Inductor omits the pairs of casts between them.
    "excess_precision": ["float16", "bfloat16"],
    "repro_imports": """
import copy
import os

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch
import torch._inductor.config
import torch.nn.functional as F
""",
    "repro_call": "torch.compile($model$options)($inputs)",
    "repro_options": {"dynamic": "dynamic=True", "freezing": 'options={"freezing": True}'},
    "repro": """
def prepare(model, inputs, dynamic=False, freezing=False, level="inductor", updates=(), without={}):
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(2)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        # A model may write into its inputs, which may be Python numbers.
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        with torch._inductor.config.patch({"freezing": freezing, **without}):
            outputs = [*compiled(*fresh)]
        for place, number in updates:  # the last value of an input that it writes is an output
            outputs.insert(place, fresh[number])
        return outputs

    return call
""",
    "backends": ["eager", "aot_eager", "aot_eager_decomp_partition", "inductor"],
    # With this setting, Inductor rounds half types as eager does.
    "backends_of_halves": ["inductor with emulate_precision_casts"],
    "side_by_side": '''
def side_by_side(show):
    """Print `show(outputs)` for each backend of torch.compile, from eager to Inductor."""
    print("$heading")
    for name in $backends:
        level, _, setting = name.partition(" with ")
        if setting and not hasattr(torch._inductor.config, setting):  # an older release
            continue
        try:
            with torch._inductor.config.patch({setting: True} if setting else {}):
                if level == "eager":
                    run = $plain
                else:
                    run = $compiled
                run()
                text = show(run())
        except Exception as error:
            text = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
        print(f"  {name + ':':28}", text, flush=True)
''',
    "told": '''
def told(outputs):
    """Return the wrong elements as text, and whether PyTorch's own accuracy check accepts them."""
    reference = torch.as_tensor(np.ascontiguousarray(expected)).to(eager.device)
    accepted = torch._dynamo.utils.same(eager, outputs[$output], fp64_ref=reference, equal_nan=True)
    return f"{$value$part}, torch._dynamo.utils.same: {accepted}"
''',
}

# A setting that a release lacks is skipped.
_SETTINGS: tuple[tuple[str, str, Any], ...] = (
    ("_inductor", "force_disable_caches", True),
    ("_inductor", "fx_graph_cache", False),
    ("_inductor", "compile_threads", 1),
    ("_inductor", "benchmark_harness", False),  # code behind the compiled program that only a benchmark calls
    ("_dynamo", "run_gc_after_compile", False),  # frees cycles earlier than Python does, and changes no value
    ("_dynamo", "suppress_errors", False),
    ("_dynamo", "automatic_dynamic_local_pgo", False),
    ("_functorch", "force_non_lazy_backward_lowering", True),  # so that `build` compiles kernels of gradients, too
)

# Parts of Inductor that can be switched off, and the value that does so.
_OFF: dict[str, Any] = {**INFO["switched"], "cpp.simdlen": 1}
_NARROWER = {"AVX512": ("avx2", "default"), "AVX2": ("default",)}
_MEMORY = ("inplace_buffers", "allow_buffer_reuse")

# The garbage collector's thresholds: a compilation makes a million objects that live until its end.
_COLLECT_AFTER = 50_000, 20, 20

# Inductor promotes the types of a `where` or `masked_fill`, but `torch.promote_types` refuses these types.
_UNSUPPORTED = re.compile(r"Promotion for .* types is not supported", re.IGNORECASE)

_dynamic: bool | None = False
_backend = "inductor"
_unit: _inductor_unit.Unit | None = None  # the unit of the drafts since the last `build`
_kernels = Path()
_prepared = ""  # the key of the toolchain that this process has prepared

load, run, eager = _torch.load, _torch.run, _torch.eager


def version() -> str:
    """Torch's version."""
    return str(torch.__version__)


def check() -> None:
    """Raise RuntimeError without a C++ compiler or Python.h: Inductor writes C++ that includes it."""
    if _cxx() is None:
        raise RuntimeError("Inductor needs a C++ compiler: install g++ (Debian: apt-get install g++) or set CXX")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise RuntimeError(
            f"Inductor needs Python's headers for {sys.executable} (Debian: apt-get install python3-dev)"
        )


def prepare(options: dict[str, Any]) -> None:
    """Import the compiler, and write into the toolchain's folder what Inductor makes once per process.

    Afterwards no thread of Torch runs: the program that is compiled here is too small for one.
    """
    _torch.start(options)
    _import_inductor()
    _set(_SETTINGS)
    _prepare_toolchain(Path(options["toolchain"]))


def start(options: dict[str, Any]) -> None:
    """Prepare the process. A level is a backend that does less.

    This also takes the option `dynamic`, torch.compile's own, false by default.
    """
    global _backend, _dynamic, _kernels
    _kernels = Path(options["compiled"])
    _dynamic = options.get("dynamic", False)
    _backend = options.get("level", _backend)
    if _backend not in INFO["levels"]:
        raise RuntimeError(f"inductor has no level {_backend!r}: choose from {', '.join(INFO['levels'])}")
    _torch.start(options)
    _import_inductor()
    _set(_SETTINGS)
    gc.freeze()  # imported objects stay alive, so the collector need not search them again
    gc.set_threshold(*_COLLECT_AFTER)
    disabled = options.get("disable", ())
    members = [name for name in disabled if _inductor_knobs.is_member(name)]
    for name in disabled:
        if name in _OFF:
            setattr(*_knob(name), _OFF[name])
    if options.get("trace"):
        _inductor_knobs.trace_changes()
    _prepare_toolchain(Path(options["toolchain"]))
    if members or options.get("trace"):
        _inductor_knobs.watch(members)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(options["scratch"], "inductor"))


def compile(program: Loaded, inputs: Sequence[Array]) -> Loaded:
    """Compile and make the first call.

    Raises NotImplementedError in these cases:

    - Dynamo does not support the model;
    - the compiled program would read a value on the host (without `fullgraph`, Torch runs such a part uncompiled);
    - Torch itself cannot differentiate the model;
    - Inductor says that it does not support an element type.
    """
    torch._dynamo.reset()
    with _fresh_cache(), _inductor_unit.keeping_compiled(_kernels):
        return _first_call(program, inputs)


def draft(program: Loaded, inputs: Sequence[Array]) -> Loaded:
    """Compile all but the C++ kernels, which `build` compiles for all drafts together.

    Raises as `compile`; the error names the lines at fault, where Inductor tells them.
    """
    global _unit
    if _unit is None:
        torch._dynamo.reset()
        _unit = _inductor_unit.Unit(_fresh_cache())
    with _unit.holding_back():
        try:
            return _first_call(program, inputs)
        except Exception as error:
            lines = _inductor_lines.at_fault(error)
            if not lines:
                raise
            kind = NotImplementedError if isinstance(error, NotImplementedError) else RuntimeError
            raise kind(f"{error}\n{lines}") from error


def build() -> None:
    """Compile the kernels of the drafts, so that these can run."""
    global _unit
    unit, _unit = _unit, None
    if unit:
        unit.build()


def _first_call(program: Loaded, inputs: Sequence[Array]) -> Loaded:
    """The result of `compile`; the call that makes Inductor work may end at a kernel that is held back."""
    torch._dynamo.utils.counters.clear()
    _inductor_knobs.clear()
    dynamic = True if program.dynamic else _dynamic
    model: Any = torch.compile(program.model, backend=_backend, fullgraph=True, dynamic=dynamic)
    compiled = replace(program, model=model)
    with torch._inductor.config.patch(freezing=program.freezing):
        try:
            run(compiled, inputs)
        except _inductor_unit.Unbuilt:
            return compiled
        except (torch._dynamo.exc.Unsupported, torch._dynamo.exc.UserError) as error:
            raise NotImplementedError(str(error)) from error
        except torch._dynamo.exc.BackendCompilerFailed as error:
            symbolic = torch.fx.experimental.symbolic_shapes
            on_the_host = isinstance(error.inner_exception, symbolic.GuardOnDataDependentSymNode)
            refused = on_the_host or _UNSUPPORTED.search(str(error))
            if refused or (program.mode == "grad" and not _torch.differentiable(program, inputs)):
                raise NotImplementedError(str(error)) from error
            raise
    return compiled


def knobs() -> list[str]:
    """The settings in `_OFF` that this release has, and families of parts that a program uses (see `_inductor_knobs`).

    The families come after the settings about shared memory, and before the other settings. Variables come last.
    """
    _import_inductor()
    there = [name for name in _OFF if hasattr(*_knob(name))]
    memory = [name for name in there if name in _MEMORY]
    others = [name for name in there if name not in memory]
    narrower = _NARROWER.get(torch.backends.cpu.get_cpu_capability(), ())
    variables = [f"variable ATEN_CPU_CAPABILITY={name}" for name in narrower]
    return [*memory, *_inductor_knobs.families(), *others, *variables]


def trace(compiled: Loaded) -> list[str]:
    """Inductor's counters for this graph. With the option `trace`, more entries come before them.

    These are passes and patterns that changed the graph, decompositions and lowerings that it used, and its kernels.
    """
    counters = sorted(torch._dynamo.utils.counters["inductor"].items())
    counted = [f"{name}={count}" for name, count in counters]
    return [*_inductor_knobs.used(), *counted]


def _import_inductor() -> None:
    """Import the modules that torch.compile imports at its first call, but `import torch` does not."""
    import torch._dynamo
    import torch._dynamo.exc
    import torch._dynamo.utils
    import torch._inductor.codecache
    import torch._inductor.config
    import torch._inductor.utils
    import torch.fx.experimental.symbolic_shapes  # noqa: F401


def _set(settings: Sequence[tuple[str, str, Any]]) -> None:
    for package, name, value in settings:
        config = getattr(torch, package).config
        if hasattr(config, name):
            setattr(config, name, value)


def _knob(name: str) -> tuple[Any, str]:
    *parents, leaf = name.split(".")
    return functools.reduce(getattr, parents, torch._inductor.config), leaf


def _prepare_toolchain(folder: Path) -> None:
    """Probe for vector instructions and precompile Inductor's C++ header in a folder that workers share.

    Every process would repeat both (6 s each), since we give Inductor no lasting cache. Inductor finds existing files
    by their contents. Only a process that was killed midway could leave a damaged file, hence the mark of completion.
    """
    global _prepared
    key = _toolchain_key()
    if _prepared == key:  # in the process from which this one was forked
        return
    folder = folder / key
    folder.mkdir(parents=True, exist_ok=True)
    ready = folder / "ready"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = ready.exists()
        if not found:
            shutil.rmtree(folder)
            folder.mkdir()
            if _warm_up(folder):
                ready.touch()
    if found:
        _warm_up(folder)
    _prepared = key


def _warm_up(folder: Path) -> bool:
    """Make in `folder` what outlives `_fresh_cache`. False where Inductor failed: the first artifact will report it."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder)
    codecache = torch._inductor.codecache
    if hasattr(codecache, "_HEADER_DIR"):  # since 2.8; by default a folder in the system's temporary one
        codecache._HEADER_DIR = str(folder / "precompiled_headers")
        codecache._HEADER_LOCK_DIR = str(folder / "precompiled_headers" / "locks")
    # The probes are child interpreters. They need Torch's folder, but a site hook would import Torch in each.
    hookless = [entry for entry in sys.path if not Path(entry, "sitecustomize.py").exists()]
    try:
        with patch.dict(os.environ, TORCH_CUSTOM_PYTHONPATH=os.pathsep.join(hookless)):
            codecache.pick_vec_isa()  # type: ignore[attr-defined]  # where every release has it
        with _fresh_cache(), _inductor_unit.keeping_compiled(folder):
            torch.compile(lambda x: x + 1)(torch.zeros(2))
    except Exception:
        return False
    return True


def _toolchain_key() -> str:
    """A name for the toolchain: Torch, Python, the C++ compiler, and what changes its flags."""
    cxx = _cxx()
    compiler = subprocess.run([cxx, "--version"], capture_output=True, text=True).stdout if cxx else ""
    vector_bits = torch._inductor.config.cpp.simdlen or os.environ.get("ATEN_CPU_CAPABILITY")
    text = "\n".join([torch.__version__, torch.__file__, sys.version, str(cxx), compiler, str(vector_bits)])
    return "inductor-" + hashlib.sha256(text.encode()).hexdigest()[:16]


def _cxx() -> str | None:
    return shutil.which(os.environ.get("CXX") or ("clang++" if sys.platform == "darwin" else "g++"))


def _fresh_cache() -> AbstractContextManager[None]:
    """Inductor's own context manager, under its new or its old name."""
    utils = torch._inductor.utils
    make = getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache
    context: AbstractContextManager[None] = make()
    return context
