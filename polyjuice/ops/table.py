"""Fill the operator table with the entries of all families, in this order, then with those of other packages."""

from __future__ import annotations

from importlib import import_module

from polyjuice import plugins
from polyjuice.ops.definitions import completed
from polyjuice.ops.registry import register
from polyjuice.ops.spec import Op

_FAMILIES = """
    elementwise comparisons selection transcendental activations bitwise scalars structural rearranging indexing
    scattering viewing creating reductions statistics softmax scans sorting matrix memory products contractions
    similarity layers convolution patches pooling adaptive normalization resizing grids quantization
    quantized_products control complex_numbers data_dependent contrib contrib_quantized attention recurrent
    signal losses distances special_functions linear_algebra assembling indexed_writes order_statistics
    upsampling regions composites
"""

for _family in _FAMILIES.split():
    register(map(completed, import_module(f"polyjuice.ops.{_family}").OPS))


def register_further() -> list[str]:
    """Add the operators of all installed packages (entry points ``polyjuice.operators``). Return the mistakes."""
    problems = []
    for entry in plugins.entries(plugins.OPERATORS).values():
        try:
            operators = plugins.loaded(entry, "OPS")
            if not isinstance(operators, list | tuple) or not all(isinstance(op, Op) for op in operators):
                raise plugins.EnvironmentProblem(f"{plugins.described(entry)}: OPS must be a list of operators (Op)")
            register(map(completed, operators))
        except plugins.EnvironmentProblem as problem:
            problems.append(str(problem))
        except ValueError as error:
            problems.append(f"{plugins.described(entry)}: {error}")
    return problems
