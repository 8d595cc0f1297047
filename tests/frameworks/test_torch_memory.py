"""The Torch compilers report a run's use of memory."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from polyjuice.compilers import find
from polyjuice.execution import Memory, Outcome
from polyjuice.frameworks.choosers import Chooser
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, Call, Op, infer
from polyjuice.ops.text import filled
from polyjuice.session import CompilerSession, Conditions
from tests.support.libraries import library

torch = library("torch")
modules = library("tests.support.torch_modules")
printer = library("polyjuice.frameworks.torch.user_printer")

INPUT, OUTPUT = Memory.INPUT, Memory.OUTPUT


def seen(forward: Any, *inputs: Any, **setup: Any) -> Memory:
    class Owned(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("held", torch.ones(2, 3))

        def forward(self, *tensors: Any) -> Any:
            return forward(self, *tensors)

    artifact = printer.capture(Owned(), inputs, {})
    artifact = type(artifact)(**{**vars(artifact), "setup": {**artifact.setup, **setup}})
    with CompilerSession(Conditions(), find("eager")) as session:
        outcome = session.execute(artifact, [tuple(x.numpy() for x in inputs)] * 2)
    assert outcome.status == "ok", outcome.message
    assert outcome.memory == outcome.reference_memory
    first, second = outcome.memory
    assert first == second
    return first


def test_results_that_are_inputs_and_views_of_them_are_told_from_copies() -> None:
    found = seen(
        lambda self, x: (x, x.t(), x.t().t(), x.t().contiguous(), x[:0], x + 0, self.held.view(-1)), modules.PAIR
    )
    assert {(k, n) for k, kind, n in found.shared if kind == INPUT} == {(0, 0), (1, 0), (2, 0)}
    assert found.same == {(0, 0), (2, 0)}
    assert [found.strides[k] for k in (0, 1, 3)] == [(3, 1), (1, 3), (2, 1)]
    assert {(k, n) for k, kind, n in found.shared if kind == Memory.HELD} == {(6, "w_held")}
    assert found.written == frozenset()


def test_two_results_share_memory_where_a_byte_belongs_to_both() -> None:
    """Two halves of one tensor share no memory. Nor do every second elements and the elements between them."""

    def forward(self: Any, x: Any) -> Any:
        y = x * 2
        return y[:, ::2], y[:, 1::2], y.view(torch.int32), y[0].expand(4, 3)

    found = seen(forward, modules.PAIR)
    assert {(k, n) for k, kind, n in found.shared if kind == OUTPUT} == {(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)}


def test_inputs_in_whose_memory_a_byte_changes_are_written_also_beside_their_elements() -> None:
    def forward(self: Any, x: Any, y: Any, z: Any) -> Any:
        x.as_strided((1,), (1,), 0).fill_(9.0)  # not an element of a sliced input
        return (y.mul_(1), z + 1)[1:]

    found = seen(forward, modules.PAIR.clone(), modules.PAIR.clone(), modules.PAIR.clone(), layouts=["sliced"])
    assert found.written == {0}


def test_of_results_with_gradients_those_may_be_written_that_were_not_made_with_others_at_once() -> None:
    def forward(self: Any, x: Any) -> Any:
        y = x * 2
        return y, y.view(-1), *y.unbind(0), y.int(), y.unbind(0)[0].view(3, 1)

    found = seen(forward, modules.PAIR, mode="grad")
    assert found.differentiable == {0, 1}


def test_a_run_with_gradients_returns_them_unless_torch_cannot_differentiate_the_program() -> None:
    class Applied(torch.nn.Module):
        def __init__(self, forward: Any) -> None:
            super().__init__()
            self.forward = forward

    def outcome(forward: Any) -> Outcome:
        artifact = printer.capture(Applied(forward), (modules.PAIR, modules.PAIR.int()), {})
        artifact = replace(artifact, setup={**artifact.setup, "mode": "grad"})
        with CompilerSession(Conditions(), find("eager")) as session:
            return session.execute(artifact, [(modules.PAIR.numpy(), modules.PAIR.int().numpy())] * 2)

    found = outcome(lambda x, n: (x * x, n))
    weights = np.cos(np.arange(6, dtype=np.float32)).reshape(2, 3)
    for gradients in (*found.gradients, *found.reference_gradients):
        assert [*gradients] == [0]
        np.testing.assert_allclose(gradients[0], 2 * modules.PAIR.numpy() * weights, rtol=1e-6)
    assert len(found.outputs[1]) == 2
    found = outcome(lambda x, n: (torch.special.zeta(x + 2, x + 2), n))
    assert (found.status, found.gradients, len(found.outputs[1])) == ("ok", (), 2)


@pytest.mark.parametrize("op", [op for op in TABLE.values() if op.view], ids=lambda op: op.qualified)
def test_an_operator_that_returns_a_view_does_so_in_each_text(op: Op) -> None:
    assert op.view
    tried = 0
    for number in range(150):
        rng = random.Random(number)
        dtype = rng.choice(["float32", "int32"]) if op.accepts(0, "float32") else op.types[op.inputs[0]][0]
        first = TensorType(dtype, tuple(rng.choices((1, 2, 4), k=rng.randrange(4))))
        sample = op.sample(rng, first)
        contiguous = torch.zeros(first.shape, dtype=getattr(torch, dtype))
        strided = torch.zeros(first.shape[::-1], dtype=contiguous.dtype).permute([*reversed(range(first.rank))])
        for x in (contiguous, strided):
            if sample and op.view(sample.attrs, x is contiguous):
                draws = Chooser(lambda subject, value: rng).about("")  # noqa: B023
                call = Call(["x"], [first], infer(op, [first], sample.attrs), sample.attrs, draws, str, own=[True])
                text = filled(call, op.texts("torch"))
                result = eval(text, {"torch": torch, "x": x})
                assert result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(), text
                tried += 1
    assert tried > 20
