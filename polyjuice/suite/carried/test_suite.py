"""One test for each case: both of its programs, compiled, must give what they mean."""

from __future__ import annotations

import pytest


def test_case(case, compiler, request):
    """Conftest.py finds the cases, and runs them in a process that the compiler may end."""
    expected = compiler.expected(case.name)
    if expected:
        request.node.add_marker(pytest.mark.xfail(reason=expected, strict=True))
    status, message = compiler.run(case)
    if status == "skipped":
        pytest.skip(message)
    if status == "failed":
        pytest.fail("%s, %s %s\n%s" % (case.name, compiler.name, compiler.version, message), pytrace=False)
