"""The preparation of cases by kind: with variants or alone, their sets of inputs, and their setting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from polyjuice import compilers
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Preparation, Skip
from polyjuice.campaign.schedule import MIXED, Clock
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import load
from polyjuice.frameworks.forms import Form
from polyjuice.inputs import usual_profiles
from polyjuice.ir import TensorType
from polyjuice.ops import Op
from polyjuice.oracles import Case
from polyjuice.support import Support

RULES = load()


class Everything(Support):
    """The support of a compiler that takes all operators in all forms."""

    def __init__(self, compiler: CompilerInfo) -> None:
        self.compiler = compiler
        self.refusal = ""

    def takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        return True

    def lacked(self, forms: Sequence[Form]) -> list[str]:
        return []


def cases(folder: Path, name: str, indices: Iterable[int], **options: object) -> list[Case]:
    """The cases of a campaign on a compiler that can be prepared."""
    compiler = compilers.find(name)
    config = Config(compiler=name, seeds=(MIXED,), nodes=6, profiles=usual_profiles(compiler), **options)  # type: ignore[arg-type]
    preparation = Preparation(config, folder, RULES, compiler, Everything(compiler), Clock())
    found = []
    for index in indices:
        try:
            found.append(preparation.case(index, 0))
        except Skip:
            continue
    return found


def test_most_small_programs_are_alone_and_have_many_sets_where_compilation_is_slow(tmp_path: Path) -> None:
    found = cases(tmp_path, "tvm", range(16))
    alone = [case for case in found if len(case.programs) == 1]
    assert 9 <= len(alone) <= 12
    assert sum(len(case.sets) == 12 for case in alone) >= len(alone) / 2
    assert all(len(case.sets) <= 4 for case in found if len(case.programs) > 1)


def test_cases_that_share_packs_of_inductor_have_one_setting(tmp_path: Path) -> None:
    size = compilers.find("inductor").pack
    packs: dict[int, set[str]] = {}
    indices = [number * size + place for number in (0, 4, 5) for place in range(size)]
    for case in cases(tmp_path, "inductor", indices):
        if len(case.programs) == 1:
            (program,) = case.programs
            setup = {k: v for k, v in program.artifact.setup.items() if k not in ("layouts", "updates", "numbers")}
            if not program.graph.updates:  # a program that writes cannot have all settings
                packs.setdefault(case.index // size, set()).add(str(setup))
            assert case.sets[0].profile == "edge"
    assert all(len(settings) == 1 for settings in packs.values())
    assert len(set.union(*packs.values())) > 1


def test_the_size_of_packs_changes_no_program(tmp_path: Path) -> None:
    found, others = (cases(tmp_path, "inductor", range(6), pack=pack) for pack in (0, 1))
    for case, other in zip(found, others, strict=True):
        assert [p.artifact.source for p in case.programs] == [p.artifact.source for p in other.programs]
        assert [p.artifact.setup for p in case.programs] == [p.artifact.setup for p in other.programs]


def test_edge_values_are_for_single_operators_where_another_framework_judges(tmp_path: Path) -> None:
    for case in cases(tmp_path, "onnxruntime", range(16)):
        (program, *others) = case.programs
        one = len(program.graph.nodes) == 1 and not others
        assert ("edge" in [inputs.profile for inputs in case.sets]) <= one


@pytest.mark.parametrize(
    "options", [{"only_rules": ("add-commutes",)}, {"oracles": ("metamorphic",)}], ids=["rules", "oracle"]
)
def test_who_wants_variants_gets_no_case_without(tmp_path: Path, options: dict[str, tuple[str, ...]]) -> None:
    for case in cases(tmp_path, "tvm", range(4), **options):
        assert len(case.programs) >= 2
