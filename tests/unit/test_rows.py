"""Rows of egglog's tables: a file and an action give the same facts."""

from __future__ import annotations

import pytest
from egglog import bindings

from polyjuice.egraph.rows import Row, insert

TABLES = """
(sort Ints (Vec i64))
(function cut (String i64) i64 :merge old)
(function perm (i64) Ints :merge old)
(relation Range (i64 f64 f64))
(relation Site (String i64))
"""

ROWS = [
    Row("cut", ("split-add", 7, 3)),
    Row("cut", ("a key\tof a user's", 7, 4)),
    Row("cut", ("", 7, 5)),
    Row("perm", (3, (2, 0, 1))),
    Row("perm", (0, ())),
    Row("Range", (1, -1.5e-05, 1e300)),
    Row("Range", (2, -0.1, float("inf"))),
    Row("Site", ("split-add", 4)),
]


@pytest.fixture(scope="module")
def tables() -> bindings.EGraph:
    egraph = bindings.EGraph()
    egraph.run_program(*egraph.parse_program(TABLES))
    insert(egraph, ROWS)
    return egraph


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_holds_as_its_action_says(row: Row, tables: bindings.EGraph) -> None:
    fact = row.action if row.table[0].isupper() else row.action.replace("(set ", "(= ", 1)
    tables.run_program(*tables.parse_program(f"(check {fact})"))
    assert sum(dict(tables.run_program(*tables.parse_program("(print-size)"))[0].sizes).values()) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_file_says_what_it_can_alone(row: Row) -> None:
    plain = [x for x in row.fields if not isinstance(x, tuple) and x != "" and "\t" not in str(x)]
    assert (row.line is not None) == (len(plain) == len(row.fields))
