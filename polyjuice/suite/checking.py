"""Whether a compiler is right about one model: the model and its variants, on its owner's inputs, must agree."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto

from polyjuice import given
from polyjuice.compilers import find
from polyjuice.egraph import Rewriter, Rule, Variant, distinct, load, windows
from polyjuice.equivalence import difference
from polyjuice.execution import Artifact, Outcome
from polyjuice.given import ORIGINAL, UserModel
from polyjuice.inputs import given_profile, intervals, mode, mode_in, rulesets_on
from polyjuice.ir import Graph, dtypes
from polyjuice.lower import UNKNOWN_SIZES, Unlowerable
from polyjuice.numerics import Analyses
from polyjuice.oracles import ORACLES, USUAL_ORACLES, Case, Spelling, Tested, Verdict
from polyjuice.session import CompilerSession, Conditions
from polyjuice.suite.options import SuiteError
from polyjuice.support import Support
from polyjuice.triage import Circumstances, repeats, write_finding
from polyjuice.triage.spelling import spelled


class Miscompiled(AssertionError):
    """The compiler is wrong about a model, or fails on it; the message says how, and where the finding is."""


class NotChecked(Exception):
    """There is nothing to compare: the compiler, or its framework, does not take the model."""


@dataclass(frozen=True)
class Checked:
    """The labels of the variants that ran and agreed, and why others were left out, by label."""

    compared: tuple[str, ...]
    left_out: Mapping[str, str]


class Checker:
    """Checks models in one compiler, whose process it keeps between them; a context manager."""

    def __init__(self, compiler: str = "inductor", python: str | Path = sys.executable, timeout_s: float = 120) -> None:
        """Raises EnvironmentProblem for a compiler that nobody knows."""
        self._session = CompilerSession(Conditions(str(python), timeout_s=timeout_s), find(compiler))

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
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

        The model itself comes first, just as it is, where the compiler reads its format. ``model`` is a Torch module
        with a tuple of its arguments (or a dict of keyword arguments) as inputs, or an ONNX model (a path or a
        ModelProto) with arrays, in order or by name. The model is read, and a module exported, in this process: it is
        its owner's own, so that a crash of the module ends it. What is compiled runs in other processes. Raises
        Miscompiled, once that has repeated in three fresh processes and is written down in ``findings``; NotChecked;
        and FormatError, EnvironmentProblem.
        """
        program, arrays = _program(model, inputs)
        profile = given_profile(program.graph, arrays)
        chosen, fired = self._variants(program, arrays, profile, seed, variants, load(map(Path, rules)))
        tested, left_out = self._run(program, chosen, arrays, profile, seed)
        case = Case([profile], [arrays], tested)
        if ORIGINAL in left_out:
            raise NotChecked(f"{self._session.compiler.name}: {left_out[ORIGINAL]}")
        for verdict in self._verdicts(case):
            if repeats(case, verdict, self._session):
                folder = _free(findings)
                session = self._session
                how = Circumstances(session.compiler, session.versions, session.conditions, seed, 0, fired)
                write_finding(folder, how, case, verdict)
                raise Miscompiled(f"{verdict.message}\nthe finding, with a reproducer: {folder}")
        return Checked(tuple(t.label for t in case.ran), left_out)

    def _variants(
        self,
        program: UserModel,
        arrays: tuple[np.ndarray, ...],
        profile: str,
        seed: int,
        count: int,
        rules: Sequence[Rule],
    ) -> tuple[Sequence[Variant], Sequence[str]]:
        """The model itself, and variants by the rules that hold on its inputs; and the rules that fired."""
        graph, compiler = program.graph, self._session.compiler
        if program.unread:
            return [Variant(ORIGINAL, graph)], []
        takes = Support(compiler, self._session.worker()).takes
        how = ("steps", count, takes, intervals(graph, arrays), rulesets_on(profile))
        rewriting = windows.rewrite(Rewriter(rules), graph, seed, *how)
        original = Variant(ORIGINAL, rewriting.seed)
        if program.as_given(compiler.format):  # another program, though its graph may be that of a variant
            chosen = (original, *distinct(rewriting.variants))
        else:
            chosen = distinct([original, *rewriting.variants])
        known = [mode(profile, "onnx")]
        for variant in chosen:
            if problem := difference(graph, variant.graph, [arrays], modes=known):
                raise RuntimeError(f"a rule of Polyjuice is wrong: the variant {variant.label} is not equal: {problem}")
        return chosen, sorted(rewriting.rules)

    def _run(
        self, program: UserModel, variants: Sequence[Variant], arrays: tuple[np.ndarray, ...], profile: str, seed: int
    ) -> tuple[list[Tested], dict[str, str]]:
        """The variants that the compiler takes, as they ran, and why it does not take the others."""
        tested: list[Tested] = []
        left_out: dict[str, str] = {}
        inputs = [arrays]
        compiler = self._session.compiler
        known = mode_in(profile, compiler)
        for variant in variants:
            try:
                artifact, spelling = self._written(program, variant, seed)
            except Unlowerable as error:
                left_out[variant.label] = str(error)
                continue
            execute = self._session.execute if spelling else self._session.execute_given
            outcome = execute(artifact, inputs)
            if outcome.status == "unsupported":
                left_out[variant.label] = _first_line(outcome)
                continue
            analyses = Analyses(variant.graph, inputs, [known])
            tested.append(Tested(variant.label, variant.graph, artifact, analyses, outcome, spelling))
        return tested, left_out

    def _written(self, program: UserModel, variant: Variant, seed: int) -> tuple[Artifact, Spelling | None]:
        """A variant in the compiler's format: the original as it was given, if the compiler reads its format."""
        as_given = program.as_given(self._session.compiler.format)
        if as_given and variant.label == ORIGINAL:
            return as_given, None
        spelling = Spelling(f"check {seed} {variant.label}", {}, UNKNOWN_SIZES)
        return self._spelled(variant.graph, spelling), spelling

    def _spelled(self, graph: Graph, spelling: Spelling) -> Artifact:
        return spelled(graph, spelling, self._session.compiler, self._session.conditions.opset)

    def _verdicts(self, case: Case) -> Iterable[Verdict]:
        return (verdict for name in USUAL_ORACLES for verdict in ORACLES[name].judge(case, self._session))


def _program(model: Any, inputs: Any) -> tuple[UserModel, tuple[np.ndarray, ...]]:
    """The model, and arrays for its inputs. Raises FormatError, SuiteError."""
    if isinstance(model, str | Path | ModelProto):
        program = given.from_model(model) if isinstance(model, ModelProto) else given.load_onnx(Path(model))
        names = program.graph.inputs
        values = [inputs[name] for name in names] if isinstance(inputs, Mapping) else list(inputs)
    else:
        import torch  # the core does without it
        from torch.utils import _pytree

        from polyjuice.given import torch_program

        args, kwargs = ((), dict(inputs)) if isinstance(inputs, Mapping) else (tuple(inputs), {})
        program = torch_program.from_module(model, args, kwargs)
        values = [value for value in _pytree.tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
    arrays = tuple(map(_array, values))
    types = [(dtypes.of_array(array), array.shape) for array in arrays]
    wanted = [(t.dtype, t.shape) for t in program.graph.input_types]
    if types != wanted:
        raise SuiteError(f"the model takes {wanted}, and the inputs are {types}")
    return program, arrays


def _array(value: Any) -> np.ndarray:
    """A tensor of Torch, or what NumPy takes for an array."""
    if not hasattr(value, "detach"):
        return np.asarray(value)
    value = value.detach().cpu().contiguous()
    if str(value.dtype) == "torch.bfloat16":
        return np.asarray(value.float().numpy().astype(dtypes.to_numpy("bfloat16")))
    return np.asarray(value.numpy())


def _free(findings: Path) -> Path:
    return next(folder for n in count() if not (folder := findings / f"finding-{n:03d}").exists())


def _first_line(outcome: Outcome) -> str:
    return (outcome.message.splitlines() or [outcome.status])[0]
