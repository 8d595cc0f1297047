"""Helpers for the faults of TVM: a pass over Relax calls before the pipeline, and legalizations that go first.

A pass is a function ``rewrite(code, call)`` that returns the expression to replace a call, or None to keep the call. A
legalization is a function ``legalize(builder, call)`` that does the same while Relax's operators become loops.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from planted import meet, optimizers


class Code:
    """The facts about a function's values while a pass visits its calls in order."""

    def __init__(self, builder: Any, lookup: Callable[[Any], Any]) -> None:
        self.builder = builder
        self._lookup = lookup
        self.earlier: list[Any] = []
        """The calls before this one, after their rewriting."""

    def definition(self, value: Any, *operators: str) -> Any:
        """Return the call that computes a value, if it has one of these operators (none named: any), else None."""
        from tvm import ir, relax

        call = self._lookup(value) if isinstance(value, relax.Var) else None
        is_call = isinstance(call, ir.Call) and (not operators or name(call) in operators)
        return call if is_call else None


def name(call: Any) -> str:
    """Return the operator of a call, such as ``relax.add``; "" for calls of functions."""
    from tvm import ir

    return str(call.op.name) if isinstance(call.op, ir.Op) else ""


def shape(value: Any) -> tuple[int, ...] | None:
    """Return the static shape of a tensor, else None."""
    from tvm import relax, tirx

    sizes = value.ty.shape if isinstance(value.ty, relax.TensorType) else None
    if sizes is None or not all(isinstance(size, tirx.IntImm) for size in sizes):
        return None
    return tuple(int(size) for size in sizes)


def dtype(value: Any) -> str:
    """Return the element type of a tensor."""
    return str(value.ty.dtype.dtype)


def is_constant(value: Any) -> bool:
    """Whether a value is a constant tensor."""
    from tvm import ir

    return isinstance(value, ir.GenericConst)


def first_along(value: Any, axis: int) -> Any:
    """Return a tensor with all slices along an axis replaced by the first."""
    from tvm import relax

    return relax.op.broadcast_to(relax.op.strided_slice(value, [axis], [0], [1]), shape(value))


def before_pipeline(rewrite: Callable[[Code, Any], Any]) -> Callable[[ModuleType], None]:
    """Return the ``plant`` of a fault with MODULE ``tvm.relax``: every pipeline runs the pass first (from level 1 on).

    The pass has the fault's name, so that a PassContext can leave it out.
    """

    def plant(relax: ModuleType) -> None:
        import tvm

        optimizers.add(rewrite.__module__)

        @relax.expr_functor.mutator
        class Rewriter(relax.PyExprMutator):  # type: ignore[misc, name-defined]
            def __init__(self, module: Any) -> None:
                super().__init__(module)
                self.code = Code(self.builder_, self.lookup_binding)

            def visit_call_(self, call: Any) -> Any:
                # After its operands are replaced, a call has no type until normalization.
                call = self.builder_.normalize(super().visit_call_(call))
                new = rewrite(self.code, call)
                if new is None:
                    new = call
                else:
                    meet(rewrite.__module__)
                self.code.earlier.append(new)
                return new

        @tvm.transform.module_pass(opt_level=1, name=rewrite.__module__)
        def planted(module: Any, context: Any) -> Any:
            for variable, function in module.functions_items():
                if isinstance(function, relax.Function):
                    rewriter = Rewriter(module)
                    rewriter.builder_.update_func(variable, rewriter.visit_expr(function))
                    module = rewriter.builder_.get()
            return module

        get_pipeline = relax.get_pipeline
        relax.get_pipeline = lambda *a, **o: tvm.transform.Sequential([planted, get_pipeline(*a, **o)])

    return plant


def in_legalization(operators: tuple[str, ...], legalize: Callable[[Any, Any], Any]) -> Callable[[ModuleType], None]:
    """Return the ``plant`` of a fault with MODULE ``tvm.relax.transform.legalize_ops``."""

    def plant(module: ModuleType) -> None:
        import tvm

        for operator in operators:
            _override(tvm, operator, legalize)

    return plant


def _override(tvm: ModuleType, operator: str, legalize: Callable[[Any, Any], Any]) -> None:
    right = tvm.ir.Op.get(operator).get_attr("FLegalize")

    def legalized(builder: Any, call: Any) -> Any:
        wrong = legalize(builder, call)
        if wrong is None:
            return right(builder, call)
        meet(legalize.__module__)
        return wrong

    tvm.ir.register_op_attr(operator, "FLegalize", legalized, level=11)
