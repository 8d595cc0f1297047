"""Compare a program with its own uncompiled run where our interpreter has no answer.

Our interpreter has none for an operator that the table lacks. It also has none where frameworks differ: the maximum of
1 and NaN, or the place that ``argmax`` gives for NaN. A compiler must do there as its own framework does. These
programs are judged:

- A user's own program, on its owner's own inputs. A bare ONNX file has none: its program is judged on drawn inputs,
  unless they are ``edge``; on these, as a generated program.
- A program that we generated for Torch, on all inputs. The part of it on which the result depends must have no half
  types: an uncompiled program rounds them at each operator, a compiled one need not. It must have no number so large or
  small that the order of computation decides overflow or underflow.
- A generated program of another format, if it is one operator, on ``edge`` inputs (see
  :func:`polyjuice.inputs.judged_on_edge`). One operator rounds half types only once. Our interpreter and the uncompiled
  run must agree there, because ONNX's reference evaluator and TensorFlow's kernels have faults, too.

The tolerance has two parts. One is the error of the uncompiled run (see :mod:`polyjuice.oracles.tolerance`). The other
is the change of a result with the inputs, which is large at a jump, where each side may be right. (Zeros are not moved:
any order of computation gets 1 / -0.0 right. Inputs of a single operator are not moved either, because it gets its
operands unrounded.) An integer must be the same in all of these runs.

The uncompiled run is the framework's own, or that of ONNX's reference evaluator. If the evaluator lacks an operator
too, such as ONNX Runtime's own, the compiler's lowest optimization level replaces it. Then only gross differences of
floating results count, because nothing is known about the intermediate rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.precision import in_float64
from polyjuice.frameworks.registry import Format
from polyjuice.inputs import GIVEN, are_large, has_policy, judged_on_edge
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, dtypes, prune, read
from polyjuice.numerics import distance, listing
from polyjuice.ops import entry, primitives
from polyjuice.ops.limits import HEADROOM
from polyjuice.ops.spec import SpecialValues, UnsettledContext
from polyjuice.oracles import zeros
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import MISMATCH
from polyjuice.oracles.tolerance import least_tolerance, moved, tolerance

_GROSS = 0.05
"""How far a result may be from that of the lowest optimization level, as a share of the largest element.

The share is several steps of a quantization to 8 bits.
"""

Results = Sequence[Sequence[np.ndarray]]
"""The outputs for each set of inputs."""


def judge(oracle: str, case: Case, t: Program, access: CompilerAccess) -> Verdict | None:
    """The verdict on the first result that has no answer by our interpreter and contradicts the uncompiled run."""
    parts = [_part(t, k) for k in range(len(t.graph.outputs))]
    unknown = list(_unknown(case, t, parts, access.compiler))
    wide = in_float64(t.artifact) if unknown else None
    if wide is None:
        return None
    sets = sorted({i for i, _ in unknown})
    inputs = [case.inputs[i] for i in sets]
    plain = _uncompiled(t.artifact, inputs, access)
    alone = {k: _is_alone(parts[k]) for _, k in unknown}
    sides = (0.0,) if all(alone.values()) else (0.0, 1.0, -1.0)
    near = [moved(x, side, zeros=False) for side in sides for x in inputs]
    around = _uncompiled(wide, near, access) if plain else None
    gross = not around and isinstance(t.artifact.source, bytes)
    if gross:
        plain = around = _unoptimized(t, near, access)
    if not plain or not around:
        return None
    for i, k in unknown:
        at = sets.index(i)
        beside = [around[side * len(sets) + at][k] for side in ((0, 0) if alone[k] else (1, 2))]
        verdict = _output(oracle, t, i, k, plain[at][k], around[at][k], beside, gross)
        if not verdict and case.profiles[i] == "edge" and _has_other_zeros(t, parts[k], i, k):
            verdict = _zeros(oracle, t, i, k, plain[at][k], [around[at][k], *beside])
        if verdict:
            return verdict
    return None


def _unknown(case: Case, t: Program, parts: Sequence[Program], compiler: CompilerInfo) -> Iterator[tuple[int, int]]:
    """(set of inputs, output) of results to judge; ``parts`` has, for each output, the part on which it depends."""
    read = _is_read(t)
    for i, (profile, inputs) in enumerate(zip(case.profiles, case.inputs, strict=True)):
        if not read and not _is_narrowed(t.graph, compiler):
            yield from ((i, k) for k, analysis in enumerate(t.analyses[i]) if not analysis.comparable)
            continue
        for k, part in enumerate(parts):
            if _not_judged(case, part, profile, compiler):
                continue
            if _is_contradicted(t, i, k) or (profile == "edge" and _has_other_zeros(t, part, i, k)):
                own = [x for name, x in zip(t.graph.inputs, inputs, strict=True) if name in part.graph.inputs]
                if not _left_open(part, own):
                    yield i, k


def silent(case: Case, t: Program, i: int, k: int, compiler: CompilerInfo) -> str:
    """Why the uncompiled run decides nothing about an output that the interpreter leaves open; "" where it decides."""
    if not _is_read(t):
        return "only some elements are open" if t.analyses[i][k].comparable else ""
    part = _part(t, k)
    own = [x for name, x in zip(t.graph.inputs, case.inputs[i], strict=True) if name in part.graph.inputs]
    return _not_judged(case, part, case.profiles[i], compiler) or _left_open(part, own)


def _part(t: Program, k: int) -> Program:
    """The part of a generated Torch program on which an output depends; other programs as they are."""
    if t.user_program or not _format(t).edge_defined:
        return t
    graph = prune(replace(t.graph, outputs=(t.graph.outputs[k],)))
    read = {*graph.outputs, *(name for node in graph.nodes for name in node.inputs)}
    types = {name: type for name, type in graph.types.items() if name in read or name not in graph.inputs}
    return replace(t, graph=replace(graph, inputs=tuple(filter(read.__contains__, graph.inputs)), types=types))


def _is_contradicted(t: Program, i: int, k: int) -> bool:
    """Whether an element without a known value differs enough from the uncompiled one to be wrong."""
    array = t.outcome.outputs[i][k]
    plain = None if t.outcome.reference is None else t.outcome.reference[i][k]
    if plain is None and not t.user_program:
        if t.analyses.rounded(i, k, array):
            return False
        plain = t.analyses[i][k].reference
    differs = np.ones(array.shape, bool)
    if plain is not None and array.shape == plain.shape:
        differs = distance(array, plain) > least_tolerance(plain, dtypes.dtype_of(array))
    if not differs.any():
        return False
    open_ = np.isinf(t.analyses[i][k].bound)
    return bool((open_ & differs).any() if open_.shape == differs.shape else open_.any())


def _has_other_zeros(t: Program, part: Program, i: int, k: int) -> bool:
    """Whether a generated Torch program gives zeros of another sign than uncompiled, which may be wrong.

    ``part`` is the part of the program on which the output depends.
    """
    if t.user_program or not _format(t).edge_defined or t.outcome.reference is None or not zeros.is_fit(part.graph):
        return False
    return bool(zeros.differ(t.outcome.outputs[i][k], t.outcome.reference[i][k]).any())


def _is_read(t: Program) -> bool:
    return all(map(entry, t.graph.nodes))


def _not_judged(case: Case, t: Program, profile: str, compiler: CompilerInfo) -> str:
    """Why not to judge a program, with all operators in the table, on inputs of a profile; "" where to judge it."""
    if _is_narrowed(t.graph, compiler):
        return "integers that the compiler computes in a narrower type"
    given = any(other in GIVEN for other in case.profiles)
    if t.user_program and (given or profile != "edge"):
        return "" if profile in GIVEN or not given else "the inputs are not those of the model's owner"
    if any(type.dtype in dtypes.NARROW for type in t.graph.types.values()):
        return "a narrow type, to which a float64 program rounds, too"
    if _format(t).edge_defined:
        if has_policy(compiler, t.graph):
            return "edge_policies of the compiler"
        types = {type.dtype for type in t.graph.types.values() if dtypes.is_float(type.dtype)}
        return "" if types <= {"float32", "float64"} else "half types, which a compiled program need not round alike"
    if profile != "edge":
        return "only edge inputs are judged so in this format"
    return "" if judged_on_edge(compiler, t.graph) else "several operators, or edge_policies of the compiler"


def _is_narrowed(graph: Graph, compiler: CompilerInfo) -> bool:
    """Whether large integers may come up in a type that the compiler computes in int32, from an input or a cast."""
    casts = [node.outputs[0] for node in graph.nodes if node.op == primitives.CAST]
    large = [
        name for name, array in graph.constants.items() if dtypes.is_int(dtypes.dtype_of(array)) and are_large([array])
    ]
    return any(graph.types[name].dtype in compiler.narrowed for name in (*graph.inputs, *casts, *large))


def _format(t: Program) -> Format:
    return registry.find(t.artifact.format)


def _is_alone(t: Program) -> bool:
    return len(t.graph.nodes) == 1 and _is_read(t) and (_format(t).edge_defined or not t.user_program)


def _is_of_one_operand(t: Program) -> bool:
    """Whether it is one operator that computes with one operand, or elementwise.

    Kernels of other operators choose the fastest order of computation. A normalization multiplies by its scale before
    it subtracts the mean. An infinity that is NaN in another order is no fault there. The same holds for a determinant.
    """
    (node, *others) = t.graph.nodes
    op = entry(node)
    fit = op is not None and (op.elementwise or (len(node.inputs) == 1 and SpecialValues.INFINITY in op.limits))
    return fit and not others


def _agrees_with_us(t: Program) -> bool:
    """Whether the uncompiled run may be wrong itself, so that our interpreter must agree with it."""
    return _is_read(t) and (_format(t).left_open or not (_format(t).edge_defined or t.user_program))


def _left_open(t: Program, inputs: Sequence[np.ndarray]) -> str:
    """Why correct compilers may give several results on these inputs; "" where the uncompiled run is sure of one."""
    return next((reason for reason, applies in _OPEN.items() if applies(t, inputs)), "")


def _has_wild_complex_numbers(t: Program, inputs: Sequence[np.ndarray]) -> bool:
    graph = t.graph
    names = tuple(name for name, type in graph.types.items() if dtypes.is_complex(type.dtype))
    values = evaluate(replace(graph, outputs=names), inputs, "float64") if names else ()
    return not all(np.isfinite(z).all() for z in values)


def _is_unsettled(t: Program, inputs: Sequence[np.ndarray]) -> bool:
    """Whether an operator's results are open on its operands (``Op.unsettled``)."""
    rules = [(op.unsettled, node) for node in t.graph.nodes if (op := entry(node)) and op.unsettled]
    names = tuple({name: None for _, node in rules for name in node.inputs if name})
    found = evaluate(replace(t.graph, outputs=names), inputs, "float64") if names else ()
    values = {"": np.zeros(0), **dict(zip(names, found, strict=True))}
    needed, ours, defined = read(t.graph), not t.user_program, _format(t).edge_defined
    return any(
        rule(
            UnsettledContext(
                x=[values[name] for name in node.inputs],
                attrs=node.attrs,
                needed=[name in needed for name in node.outputs],
                ours=ours,
                defined=defined,
            )
        )
        for rule, node in rules
    )


def _ranks_nan(t: Program, inputs: Sequence[np.ndarray]) -> bool:
    """Whether a generated program, not Torch's, picks a place by an order among NaN. Only Torch defines that order."""
    if t.user_program or _format(t).edge_defined:
        return False
    ranks = any(op.ties for node in t.graph.nodes if (op := entry(node)))
    return ranks and any(np.isnan(x).any() for x in inputs if dtypes.is_float(dtypes.dtype_of(x)))


def _is_left_open(t: Program, inputs: Sequence[np.ndarray]) -> bool:
    """Whether ONNX leaves the result open: integers may leave their type, or an operator is disputed."""
    if not _format(t).left_open:
        return False
    integers = [x for x in inputs if dtypes.is_int(dtypes.dtype_of(x))]
    operators = [op for node in t.graph.nodes if (op := entry(node))]
    wraps = not t.user_program and len(integers) == len(inputs)
    return wraps or are_large(integers) or any(op.disputed for op in operators)


def _may_overflow(t: Program, inputs: Sequence[np.ndarray]) -> bool:
    """Whether numbers come so near to the end of their type that the order of computation decides what overflows."""
    if not t.user_program:
        return _is_extreme(t, inputs)
    floating = [(x[np.isfinite(x)], dtypes.dtype_of(x)) for x in inputs if dtypes.is_float(dtypes.dtype_of(x))]
    return any(bool((np.abs(x) > dtypes.largest_finite(dtype) / HEADROOM).any()) for x, dtype in floating)


def _is_extreme(t: Program, inputs: Sequence[np.ndarray]) -> bool:
    """Whether the square of a floating number, an input or an intermediate value, comes near an end of its type.

    For one elementwise operator, the number itself counts, not its square. Small float16 numbers may have such squares,
    as most of them do.
    """
    graph = t.graph
    floating = [name for name, type in graph.types.items() if dtypes.is_inexact(type.dtype)]
    values = evaluate(replace(graph, outputs=tuple(floating)), inputs, "float64")
    power = 1 if _is_alone(t) and all(op and op.elementwise for op in map(entry, graph.nodes)) else 2
    for name, x in zip(floating, values, strict=True):
        dtype = graph.types[name].dtype
        size = np.abs(x[np.isfinite(x) & (x != 0)])
        high = (dtypes.largest_finite(dtype) / HEADROOM) ** (1 / power)
        low = (dtypes.smallest_normal(dtype) * HEADROOM) ** (1 if dtype == "float16" else 1 / power)
        if ((size > high) | (size < low)).any():
            return True
    return False


def _is_unmoved(t: Program, inputs: Sequence[np.ndarray]) -> bool:
    """Whether a program has floating values but only integer inputs, which cannot be moved to expose rounding."""
    graph = t.graph
    floating = {name for name, type in graph.types.items() if dtypes.is_inexact(type.dtype)}
    return bool(floating) and floating.isdisjoint(graph.inputs)


_OPEN: Mapping[str, Callable[[Program, Sequence[np.ndarray]], bool]] = {
    "the order of computation decides what overflows": _may_overflow,
    "disputed: the format's standard leaves the result open": _is_left_open,
    "ties: the order among NaN is not defined": _ranks_nan,
    "unsettled: correct compilers differ on these operands": _is_unsettled,
    "a complex number is not finite": _has_wild_complex_numbers,
    "only integer inputs, which cannot be moved to expose rounding": _is_unmoved,
}
"""Why correct compilers may give several results, and the rule that says so."""


def _uncompiled(artifact: Artifact, sets: Sequence[Sequence[np.ndarray]], access: CompilerAccess) -> Results | None:
    if not isinstance(artifact.source, bytes):
        return access.execute(artifact, sets, compile=False).reference
    results = []
    for inputs in sets:
        outputs = access.uncompiled(artifact.source, inputs)
        if outputs is None:
            return None
        results.append(outputs)
    return results


def _unoptimized(t: Program, sets: Sequence[Sequence[np.ndarray]], access: CompilerAccess) -> Results | None:
    """The outputs of a program at the compiler's lowest optimization level; None where it has none, or fails."""
    if len(access.compiler.levels) < 2:
        return None
    types = [dtypes.to_numpy(type.dtype) for type in t.graph.input_types]
    narrow = [[x.astype(dtype) for x, dtype in zip(inputs, types, strict=True)] for inputs in sets]
    outcome = access.execute(t.artifact, narrow, level=access.compiler.levels[0])
    return outcome.outputs if outcome.status == "ok" else None


def _output(
    oracle: str,
    t: Program,
    i: int,
    k: int,
    plain: np.ndarray,
    wide: np.ndarray,
    beside: Sequence[np.ndarray],
    gross: bool,
) -> Verdict | None:
    array, type = t.outcome.outputs[i][k], t.graph.output_types[k]
    if len({x.shape for x in (array, plain, wide, *beside)}) > 1 or array.dtype != plain.dtype:
        return None
    changes = np.maximum(*(distance(other, wide) for other in beside))
    if dtypes.is_inexact(type.dtype):
        allowed = 2 * (tolerance(plain, wide, type.dtype) + changes)
        if gross:
            allowed += _GROSS * np.abs(wide[np.isfinite(wide)]).max(initial=0.0)
    elif gross:
        return None
    else:
        allowed = np.where((changes == 0) & (plain == wide), 0.0, np.inf)
    off = distance(array, wide)
    analysis = t.analyses[i][k]
    wrong = np.isfinite(allowed) & (off > allowed) & (off > distance(plain, wide))
    if array.shape == type.shape:  # a shape that depends on data has no bounds
        wrong &= np.isinf(analysis.bound)
    if _agrees_with_us(t):
        wrong &= distance(analysis.reference, wide) <= allowed
        wrong &= ~(np.isnan(array) & np.isinf(wide) | np.isinf(array) & np.isnan(wide)) | _is_of_one_operand(t)
    if not wrong.any():
        return None
    at = np.unravel_index(int(np.argmax(np.where(wrong, off, -1.0))), wrong.shape)
    place = [int(n) for n in at]
    other, value = "uncompiled run", f"uncompiled {plain[at]}, in float64 {wide[at]}"
    if gross:
        other, value = "run at the lowest optimization level", f"at that level {plain[at]}"
    message = (
        f"{t.result(k)} ({type}): {t.label} differs from its {other} at {listing(wrong)}; at {place} it gives "
        f"{array[at]}, {value}"
    )
    return _verdict(oracle, t, i, k, "uncompiled", message, np.where(wrong, allowed, np.inf), wide)


def _zeros(oracle: str, t: Program, i: int, k: int, plain: np.ndarray, sure: Sequence[np.ndarray]) -> Verdict | None:
    array, type = t.outcome.outputs[i][k], t.graph.output_types[k]
    wrong = zeros.wrong(array, plain, sure)
    if not wrong.any():
        return None
    at = tuple(int(n[0]) for n in np.nonzero(np.atleast_1d(wrong)))[: wrong.ndim]
    message = (
        f"{t.result(k)} ({type}): {t.label} gives zeros of another sign than its uncompiled run at {listing(wrong)}; "
        f"at {list(at)} it gives {array[at]}, uncompiled {plain[at]}"
    )
    return _verdict(oracle, t, i, k, zeros.ZEROS, message, np.where(wrong, 0.0, np.inf), plain)


def _verdict(
    oracle: str, t: Program, i: int, k: int, comparison: str, message: str, allowed: np.ndarray, expected: np.ndarray
) -> Verdict:
    names = sorted({node.qualified for node in t.graph.nodes})
    signature = " ".join([oracle, MISMATCH.name, comparison, t.graph.output_types[k].dtype, *names])
    return Verdict.against(
        t,
        oracle=oracle,
        kind=MISMATCH.name,
        message=message,
        signature=signature,
        inputs=i,
        output=k,
        comparison=comparison,
        allowed=allowed,
        expected=expected,
        alone=_is_alone(t),
    )
