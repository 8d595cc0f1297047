"""A recorder of compiler sessions, and a session that refuses programs."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import CaseResult, Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome
from polyjuice.oracles import ORACLES, Case, Verdict
from polyjuice.session import CompilerSession, Conditions


def executed(config: Config, indices: Iterable[int], folder: Path, patch: pytest.MonkeyPatch) -> dict[int, str]:
    """For each case a digest of its result and of every artifact, input and output on the way.

    Probes of the compiler's support do not count, because they depend on the user's cache.
    """
    digests = {}
    execute = CompilerSession.execute
    seen: list[bytes] = []

    def spy(session: CompilerSession, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]]) -> Outcome:
        outcome = execute(session, artifact, inputs)
        source = artifact.source.encode() if isinstance(artifact.source, str) else artifact.source
        arrays = itertools.chain(*inputs, *outcome.outputs)
        seen.extend([source, outcome.status.encode(), *(array.tobytes() for array in arrays)])
        return outcome

    patch.setattr(CompilerSession, "execute", spy)
    runner = Runner(config, folder, load())
    try:
        for index in indices:
            seen.clear()
            (result,) = runner.run([index])
            assert result.skipped or seen
            seen.append(f"{result.pairs} {result.skipped} {result.unsound}".encode())
            digests[index] = hashlib.sha256(b"\0".join(seen)).hexdigest()
    finally:
        runner.close()
    return digests


def with_shifted_outputs(runner: Runner) -> tuple[Case, CaseResult, Verdict]:
    """The first case of a runner, its result, and the verdict on its program if all outputs were larger by one."""
    try:
        case = runner.execute(0)
        (result,) = runner.run([0])
        right = case.of("original")
        shifted = tuple(tuple(y + 1 for y in outputs) for outputs in right.outcome.outputs)
        wrong = replace(right, outcome=replace(right.outcome, outputs=shifted))
        (verdict,) = ORACLES["differential"].judge(replace(case, programs=[wrong]), runner.session)
    finally:
        runner.close()
    return case, result, verdict


class Refusing(CompilerSession):
    """A compiler that raises an error on every program, at the levels named."""

    def __init__(self, levels: Sequence[str], reference: tuple[Any, ...] | None = None) -> None:
        super().__init__(Conditions(), replace(find("numpy"), levels=("low", "high")))
        self._refused = levels
        self._reference = reference

    def execute(self, artifact: Artifact, inputs: Any, *, level: str = "", compile: bool = True) -> Outcome:
        status = "error" if (level or "high") in self._refused else "ok"
        return Outcome(status=status, reference=self._reference)
