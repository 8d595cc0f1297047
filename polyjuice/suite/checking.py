"""Check that a compiler is right about one model: the model and its variants must agree on its owner's inputs."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto

from polyjuice import pipeline
from polyjuice.campaign import sizes as sizes_at
from polyjuice.compilers import CompilerInfo, EnvironmentProblem, default, find
from polyjuice.egraph import Rewriter, Rule, Variant, distinct, graph_windows, load
from polyjuice.frameworks import symbolic
from polyjuice.frameworks.forked import run_in_fork
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx.user_program import OnnxModel
from polyjuice.frameworks.symbolic import Sizes
from polyjuice.frameworks.user_model import SEED_GRAPH, UserModel
from polyjuice.inputs import intervals, mode_in, profile_of, rulesets_on
from polyjuice.interpret import EvaluationError
from polyjuice.ir import TensorType, dtypes
from polyjuice.ops import PROBLEMS
from polyjuice.oracles import Case, InputSet, Program, usual_oracles
from polyjuice.session import CompilerSession, Conditions
from polyjuice.suite.cases import SuiteError
from polyjuice.support import Support
from polyjuice.triage import write_finding


class Miscompiled(AssertionError):
    """The compiler is wrong about a model, or fails on it; the message says how, and where the finding is."""


class NotChecked(Exception):
    """There is nothing to compare: the compiler or its framework does not take the model, or it has no value."""


@dataclass(frozen=True)
class Checked:
    """The labels of the variants that ran and agreed, and why others were left out, by label.

    ``sizes`` are the tested sizes of a model with symbolic sizes, first those of its owner's inputs, to which
    ``compared`` belongs. A variant that was left out at further sizes has the sizes before its label.
    """

    compared: tuple[str, ...]
    left_out: Mapping[str, str]
    sizes: tuple[Sizes, ...] = ()


class Checker:
    """Checks models in one compiler, whose process it keeps between them; a context manager."""

    def __init__(self, compiler: str = "", python: str | Path = sys.executable, timeout_s: float = 120) -> None:
        """Without a name, the compiler is the one for Torch modules. Raises EnvironmentProblem for an unknown one."""
        if PROBLEMS:
            raise EnvironmentProblem(PROBLEMS[0])
        info = find(compiler) if compiler else default("torch")
        self._session = CompilerSession(Conditions(python=str(python), timeout_s=timeout_s), info)
        self._support = Support(self._compiler, self._session.worker())
        self._rewriters: dict[tuple[Rule, ...], Rewriter] = {}

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the compiler's process."""
        self._session.close()

    def check(
        self,
        model: Any,
        inputs: Any,
        *,
        variants: int = 8,
        seed: int = 0,
        rules: Iterable[str | Path] = (),
        findings: Path = Path("polyjuice-findings"),
    ) -> Checked:
        """Compile a model and equivalent variants of it, and compare their results on the inputs, also with float64.

        ``model`` is a Torch module, with a tuple of its arguments (or a dict of keyword arguments) as inputs. Or it is
        an ONNX model (a path or a ModelProto), with arrays as inputs, in order or by name. Where the compiler reads its
        format, the model itself is compiled first, exactly as it is. Symbolic sizes of an ONNX model are those of the
        inputs. Such a model is also checked at two further sizes, on the same inputs, cut or repeated.

        This process exports a module, so a crash of the module ends it. Other processes read an ONNX model, and run
        compiled programs.

        Raises Miscompiled for a fault that repeats in three fresh processes, after it has written the finding to
        ``findings``. Raises NotChecked, and FormatError, SuiteError, EnvironmentProblem.
        """
        options = (seed, variants, load(map(Path, rules)), findings)
        if not isinstance(model, str | Path | ModelProto):
            return self._checked(_of_torch(model, inputs), *options)
        owned = _of_onnx(model, inputs)
        own, *further = _at_sizes(owned, seed)
        try:
            first = self._checked(own, *options)
        except MemoryError:
            raise NotChecked(f"{owned.where}: evaluating the model takes more memory than there is") from None
        left_out, tested = dict(first.left_out), [own.sizes] if own.sizes else []
        for program in further:
            at = ", ".join(symbolic.described(program.sizes))
            try:
                checked = self._checked(program, *options)
            except NotChecked as reason:
                left_out[at] = str(reason)
            except Miscompiled as problem:
                raise Miscompiled(f"with {at}: {problem}") from None
            else:
                tested.append(program.sizes)
                left_out.update((f"{at}: {label}", why) for label, why in checked.left_out.items())
        return Checked(first.compared, left_out, tuple(tested))

    def _checked(self, program: UserModel, seed: int, variants: int, rules: Sequence[Rule], findings: Path) -> Checked:
        """Check a program on its examples. Raises Miscompiled, NotChecked, EnvironmentProblem."""
        assert program.examples is not None
        arrays = program.examples
        profile = profile_of(program.graph, arrays)
        sets = [InputSet(profile=profile, arrays=arrays, mode=mode_in(profile, self._compiler))]
        chosen, fired = self._variants(program, sets, seed, variants, rules)
        left_out: dict[str, str] = {}
        prepared = Case(
            sets=sets, programs=self._programs(program, chosen, sets, seed, left_out), rules=fired, seed=seed
        )
        case = pipeline.execute(prepared, self._session)
        refused = {p.label: p.outcome for p in case.programs if p.outcome.status == "unsupported"}
        left_out.update((label, pipeline.first_line(outcome)) for label, outcome in refused.items())
        if SEED_GRAPH in left_out:
            raise NotChecked(f"{self._compiler.name}: {left_out[SEED_GRAPH]}")
        case = case.only([p.label for p in case.programs if p.label not in refused])
        for verdict in pipeline.judge(case, self._session, usual_oracles(self._compiler)):
            folder = _free(findings)
            if pipeline.repeats(case, verdict, self._session):
                write_finding(folder, self._session, case, verdict)
                raise Miscompiled(f"{verdict.message}\nthe finding, with a reproducer: {folder}")
        return Checked(tuple(program.label for program in case.ran), left_out)

    @property
    def _compiler(self) -> CompilerInfo:
        return self._session.compiler

    def _variants(
        self, program: UserModel, sets: Sequence[InputSet], seed: int, count: int, rules: Sequence[Rule]
    ) -> tuple[Sequence[Variant], Sequence[str]]:
        """The model itself, and variants by the rules that hold on its inputs; and the rules that fired.

        Raises NotChecked where the model has no value on its inputs.
        """
        graph = program.graph
        if program.unread:
            return [Variant(SEED_GRAPH, graph)], []
        (own,) = sets
        how = ("steps", count, self._support.takes, intervals(graph, own.arrays), rulesets_on(own.profile))
        rewriting = graph_windows.rewrite(self._rewriter(tuple(rules)), graph, seed, *how)
        original = Variant(SEED_GRAPH, rewriting.seed)
        if program.user_program(self._compiler.format):  # a program of its own, though a variant may have its graph
            chosen = (original, *distinct(rewriting.variants))
        else:
            chosen = distinct([original, *rewriting.variants])
        try:
            problems = pipeline.equivalent(graph, [variant.graph for variant in chosen], sets)
        except EvaluationError as error:
            raise NotChecked(f"the model has no value on these inputs: {error}") from None
        for variant, problem in zip(chosen, problems, strict=True):
            if problem:
                raise RuntimeError(f"a rule of Polyjuice is wrong: the variant {variant.label} is not equal: {problem}")
        return chosen, sorted(rewriting.rules)

    def _rewriter(self, rules: tuple[Rule, ...]) -> Rewriter:
        """A rewriter with the rules, kept, because loading them takes most of the time for a small model."""
        if rules not in self._rewriters:
            self._rewriters = {rules: Rewriter(rules)}
        return self._rewriters[rules]

    def _programs(
        self,
        model: UserModel,
        variants: Sequence[Variant],
        sets: Sequence[InputSet],
        seed: int,
        left_out: dict[str, str],
    ) -> list[Program]:
        """The variants in the compiler's format: the original as its owner wrote it, if the compiler reads its format.

        Variants that the format cannot express are added to ``left_out``, with the reason.
        """
        target = replace(pipeline.target_of(self._compiler), lacked=self._support.lacked)
        user_program = model.user_program(self._compiler.format)
        programs = []
        for variant in variants:
            label, graph = variant.label, variant.graph
            own_artifact = user_program if label == SEED_GRAPH else None
            try:
                artifact = own_artifact or pipeline.lower(graph, f"check {seed} {label}", target)
            except Unlowerable as error:
                left_out[label] = str(error)
            else:
                programs.append(pipeline.prepare(label, graph, artifact, sets, user_program=own_artifact is not None))
        return programs


_FURTHER = 2
"""The number of further sizes at which a model is checked."""


def _at_sizes(model: OnnxModel, seed: int) -> list[UserModel]:
    """A model at the sizes of its examples, and at others. Raises FormatError, SuiteError."""
    assert model.examples is not None
    own = model.own or {}
    program = run_in_fork(lambda: model.at(own), model.where)
    wanted = list(program.graph.input_types)
    types = [TensorType(dtypes.dtype_of(array), array.shape) for array in model.examples]
    if types != wanted or program.examples is None:
        raise SuiteError(f"the model takes {_listed(wanted)}, and the inputs are {_listed(types)}")
    others = [sizes for sizes in sizes_at.chosen(model, str(seed), 1 + _FURTHER) if sizes != own] if own else []
    found = [model.at(sizes) for sizes in others[:_FURTHER]]
    return [program, *(other for other in found if other.examples is not None)]


def _listed(types: Sequence[TensorType]) -> str:
    return ", ".join(map(str, types)) or "nothing"


def _of_onnx(model: Any, inputs: Any) -> OnnxModel:
    """A model with its owner's inputs. Raises FormatError, SuiteError."""
    owned = (
        OnnxModel(model=model)
        if isinstance(model, ModelProto)
        else OnnxModel(model=graph_files.load_model(model), where=str(model))
    )
    names = [value.name for value in symbolic.inputs(owned.model)]
    if isinstance(inputs, Mapping):
        if unknown := sorted(set(inputs) - set(names)):
            raise SuiteError(f"the model has no input {unknown[0]!r}; its inputs are {', '.join(names)}")
        if missing := [name for name in names if name not in inputs]:
            raise SuiteError(f"no array is given for the input {missing[0]!r}; the model takes {', '.join(names)}")
        inputs = [inputs[name] for name in names]
    arrays = tuple(map(_array, inputs))
    if len(arrays) != len(names):
        raise SuiteError(f"the model takes {len(names)} inputs ({', '.join(names)}), and {len(arrays)} are given")
    return replace(owned, examples=arrays)


def _of_torch(model: Any, inputs: Any) -> UserModel:
    """A module with tensors for its inputs. Raises FormatError, SuiteError."""
    import torch  # the core does without it
    from torch.utils import _pytree

    from polyjuice.frameworks.torch import user_program as torch_program

    args, kwargs = ((), dict(inputs)) if isinstance(inputs, Mapping) else (tuple(inputs), {})
    _bind(model, args, kwargs)
    program = torch_program.from_module(model, args, kwargs)
    values = [value for value in _pytree.tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
    arrays = tuple(map(_array, values))
    types = [TensorType(dtypes.dtype_of(array), array.shape) for array in arrays]
    if types != list(program.graph.input_types):
        raise SuiteError(f"the model takes {_listed(program.graph.input_types)}, and the inputs are {_listed(types)}")
    return replace(program, examples=arrays)


def _bind(model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise SuiteError where a module's ``forward`` does not take the arguments."""
    signature = inspect.signature(model.forward)
    names = signature.parameters
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in names.values())
    if unknown := [name for name in kwargs if name not in names and not takes_any]:
        raise SuiteError(f"the model has no input {unknown[0]!r}; its inputs are {', '.join(names)}")
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise SuiteError(f"the inputs do not fit the model, which takes {', '.join(names)}: {error}") from None


def _array(value: Any) -> np.ndarray:
    """A Torch tensor, or anything that NumPy takes for an array, as an array."""
    if not hasattr(value, "detach"):
        return np.asarray(value)
    value = value.detach().cpu().contiguous()
    if str(value.dtype) == "torch.bfloat16":
        return np.asarray(value.float().numpy().astype(dtypes.to_numpy("bfloat16")))
    return np.asarray(value.numpy())


def _free(findings: Path) -> Path:
    return next(folder for n in count() if not (folder := findings / f"finding-{n:03d}").exists())
