"""Commands that show tables: ``compilers``, and ``ops`` with all that Polyjuice knows of an operator."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from textwrap import shorten
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice import compilers, support
from polyjuice.campaign.config import Usage
from polyjuice.cli.common import JsonOption, stdout
from polyjuice.cli.options import completes
from polyjuice.cli.settings import load_settings
from polyjuice.egraph import Rule, load
from polyjuice.egraph.language import constructors, is_untraced
from polyjuice.egraph.terms import term
from polyjuice.execution import Worker, probe
from polyjuice.frameworks import registry
from polyjuice.frameworks.onnx import normal
from polyjuice.frameworks.onnx.forms import FORMS
from polyjuice.generate.instances import instance, some_signatures
from polyjuice.ir import dtypes
from polyjuice.ops import FRAMEWORKS, TABLE, Op, Texts, Unsupported, matching
from polyjuice.ops.decompose import NoDecomposition, body
from polyjuice.ops.definitions import is_derived
from polyjuice.ops.spec import CONTRIB, REQUIRED, Attr


def list_compilers(
    context: typer.Context,
    probed: Annotated[
        list[str] | None,
        typer.Option(
            "--probe",
            metavar="NAME",
            help="Try every operator and type on this compiler first (repeatable).",
            autocompletion=completes("compiler"),
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the compilers, and how many operators each takes.

    A campaign tries each operator, element type and rank when it first meets it; --probe tries all types at once.
    """
    set_here = load_settings(context)
    for name in probed or ():
        with Worker(compilers.find(name), python=set_here.python(name)) as worker:
            support.Support(worker.compiler, worker).probe_all()
    found = [_described(name, set_here.python(name)) for name in compilers.names()]
    if as_json:
        print(json.dumps({"compilers": found}))
        return
    table = Table("compiler", "version", "operators taken", "", box=None)
    for row in found:
        known = row["coverage"]
        coverage = f"{known['taken']} of {known['probed']} tried" if known["probed"] else "none tried yet"
        table.add_row(
            row["name"], row["version"] or "-", coverage if row["available"] else "-", escape(str(row["reason"]))
        )
    stdout.print(table)
    for row in found:
        for reason, missing in row["coverage"]["missing"].items() if probed and row["name"] in probed else ():
            stdout.print(escape(f"{row['name']}: {reason}\n    {'; '.join(missing)}"))


def _described(name: str, python: str) -> dict[str, Any]:
    state = probe(name, python)
    known: dict[str, str] = {}
    if state["available"]:
        known = support.read(support.cache_file(compilers.find(name), state["version"]))
    missing: dict[str, list[str]] = {}
    for signature, reason in sorted(known.items()):
        if reason:
            missing.setdefault(reason, []).append(signature)
    taken = sum(not reason for reason in known.values())
    return {"name": name, **state, "coverage": {"probed": len(known), "taken": taken, "missing": missing}}


def list_ops(
    operators: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...", help="Show all about these (globs).", autocompletion=completes("only_operators")
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the operators that Polyjuice knows, or show all that it knows of some."""
    if operators:
        _show_facts(operators, as_json)
        return
    rows: list[dict[str, Any]] = [
        {
            "name": op.name,
            "domain": op.domain,
            "arity": list(op.arity),
            "dtypes": sorted({t for types in op.types.values() for t in types}),
            **{framework: not reason for framework, reason in op.unsupported.items()},
            "holes": {framework: reason for framework, reason in op.unsupported.items() if reason},
        }
        for op in TABLE.values()
    ]
    if as_json:
        print(json.dumps({"ops": rows}))
        return
    table = Table("operator", "operands", "frameworks", "types", box=None)
    for row in rows:
        least, most = row["arity"]
        table.add_row(
            f"{row['domain']}.{row['name']}" if row["domain"] else row["name"],
            str(least) if least == most else f"{least}..{most or ''}",
            " ".join(framework for framework in FRAMEWORKS if row[framework]),
            " ".join(row["dtypes"]),
        )
    stdout.print(table)
    for row in rows:
        for framework, reason in row["holes"].items():
            stdout.print(escape(f"{row['name']} has no {framework} form: {reason}"))


def _show_facts(names: Sequence[str], as_json: bool) -> None:
    try:
        chosen = matching(names)
    except ValueError as error:
        raise Usage(str(error)) from None
    rules = load()
    found = {op.qualified: list(facts(op, rules)) for op in chosen}
    if as_json:
        rows = [{"name": name, "facts": [asdict(fact) for fact in known]} for name, known in found.items()]
        print(json.dumps({"ops": rows}))
        return
    for name, known in found.items():
        table = Table(name, "", box=None)
        for fact in known:
            table.add_row(fact.name, f"[dim]none: {escape(fact.text)}[/dim]" if fact.absent else escape(fact.text))
        stdout.print(table)


_ABSENT = {"aten": "ONNX lacks it", CONTRIB: "it is ONNX Runtime's own"}
"""Why an operator of another domain than ONNX's has no opset and one form in ONNX, by domain."""

_TRIES = 20
"""How many random applications are tried for an example of a definition."""

_LONGEST = 400
"""The most characters of a definition."""


@dataclass(frozen=True)
class Fact:
    """A property of an operator. If the operator lacks it (``absent``), ``text`` says why."""

    name: str
    text: str
    absent: bool = False


def facts(op: Op, rules: Iterable[Rule]) -> Iterator[Fact]:
    """Yield all facts about an operator. ``rules`` are those to search for it."""
    yield Fact("operands", _operands(op))
    yield Fact("results", ", ".join(op.results))
    yield _or_why("attributes", ", ".join(map(_attribute, op.attrs)), "it has none")
    yield Fact("first opset", _ABSENT.get(op.domain, str(op.since)), absent=bool(op.domain))
    yield _definition(op)
    for name, function in (("meaning", op.numpy), ("error bound", op.error)):
        own = f"of its own: {op.why_not_derived}" if op.why_not_derived else "of its own"
        yield Fact(name, "from the definition" if is_derived(function) else own)
    yield Fact("exactness", _exactness(op))
    yield _or_why("ties", _ties(op), "it does not choose among equal elements")
    yield _or_why("special values", _limits(op), "frameworks differ on NaN and infinity")
    yield _or_why("domain", _domain(op), _everywhere(op))
    yield _derivative(op)
    yield _bounds(op)
    yield _shape_rule(op)
    yield _normal_form(op)
    yield _or_why("forms in ONNX", _forms(op), _ABSENT.get(op.domain, "its only form is the normal one"))
    yield _or_why("motifs", ", ".join(op.followers.split()), "no known pattern of an optimizer begins with it")
    for format in map(registry.find, registry.names()):
        if format.dialect:
            yield _text(format.title, op, format.dialect.load().texts(op))
    names = sorted(rule.name for rule in rules if any(c in rule.constructors for c in _constructors(op)))
    yield _or_why("rules", ", ".join(names), "no rule mentions it")
    yield Fact("weight", f"{op.weight:g} (how often it is generated)")


def _or_why(name: str, text: str, reason: str) -> Fact:
    return Fact(name, text or reason, absent=not text)


def _operands(op: Op) -> str:
    least, most = op.arity
    count = f"{least}" if least == most else f"{least} to {most}" if most else f"{least} or more"
    types = "; ".join(f"{variable}: {' '.join(op.every_type(variable))}" for variable in op.types)
    return f"{count} ({', '.join(op.inputs)}); {types}"


def _attribute(attr: Attr) -> str:
    return f"{attr.name}: {attr.kind}" + ("" if attr.default is REQUIRED else f" = {attr.default}")


def _definition(op: Op) -> Fact:
    if not op.domain:
        return Fact("definition", "ONNX's standard", absent=True)
    if isinstance(op.definition, Unsupported) or op.definition is None:
        reason = op.definition.reason if isinstance(op.definition, Unsupported) else "other operators do not express it"
        return Fact("definition", reason, absent=True)
    rng = random.Random(0)
    for dtype in sorted(op.every_type(op.variable(0)), key=lambda dtype: dtype != "float32"):
        for signature in some_signatures(op, dtype).values():
            for _ in range(_TRIES):
                graph = instance(signature, rng)
                node = graph.nodes[-1] if graph else None
                if graph is None or node is None or node.qualified != op.qualified:
                    continue
                try:
                    inner = body(node, graph.types)
                except NoDecomposition:
                    continue
                return Fact("definition", shorten(term(inner, inner.outputs[0]), _LONGEST, placeholder=" ..."))
    return Fact("definition", "no random application has one", absent=True)


def _exactness(op: Op) -> str:
    if op.moves:
        return "moves elements: exact in every type"
    parts = ["modulo 2^n on integers"] if op.modular else ["exact on integers"] if op.integer_exact else []
    if op.rounds:
        parts.append("asks for the rounding of its result")
    elif op.ulps:
        parts.append(f"rounds by at most {op.ulps:g} units in the last place")
    return ", ".join(parts) or "computes with errors within the bound"


def _ties(op: Op) -> str:
    return {None: "", "first": "the first of equal elements wins"}.get(op.ties, "any of equal elements may win")


def _limits(op: Op) -> str:
    return ", ".join(flag.name.lower() for flag in op.limits if flag.name)


def _domain(op: Op) -> str:
    parts = ["a formula says how far operands are from it"] if op.distance_to_domain else []
    return ", ".join([*parts, *(["operands of moderate size overflow"] if op.overflows else [])])


def _everywhere(op: Op) -> str:
    floats = any(dtypes.is_float(dtype) for types in op.types.values() for dtype in types)
    return "it is finite on all moderate finite operands" if floats else "it takes no floats"


def _derivative(op: Op) -> Fact:
    if op.adjoint:
        return Fact("derivative", "a formula")
    if op.unrolled:
        return Fact("derivative", "that of the graph that an application amounts to")
    if op.moves or op.picks:
        return Fact("derivative", "the derivative of a result element goes to the operand element that it is")
    if op.elementwise:
        return Fact("derivative", "difference quotients of each element")
    if op.domain and not isinstance(op.definition, Unsupported) and op.definition is not None:
        return Fact("derivative", "derived from the definition")
    return Fact("derivative", "difference quotients of some elements at a time")


def _bounds(op: Op) -> Fact:
    every = [bounds for name in _constructors(op) if (bounds := constructors()[name].bounds)]
    if not every:
        return Fact("value bounds", "no rule needs them", absent=True)
    found = every[0]
    ends = [found.lo or found.least or "none", found.hi or found.most or "none"]
    why = "" if op.bounds else " (derived: it moves elements)"
    return Fact("value bounds", f"from {ends[0]} to {ends[1]}{why}")


def _constructors(op: Op) -> list[str]:
    return [name for name, constructor in constructors().items() if constructor.op.qualified == op.qualified]


def _shape_rule(op: Op) -> Fact:
    names = _constructors(op)
    if not names:
        return Fact("shape in the e-graph", "no rule looks at it", absent=True)
    if is_untraced(constructors()[names[0]]):
        why = "its signature asks for the rank, or loops over the axes, which egglog cannot express"
        return Fact("shape in the e-graph", why, absent=True)
    return Fact("shape in the e-graph", f"derived for {', '.join(names)}")


def _normal_form(op: Op) -> Fact:
    if op.domain:
        return Fact("normal form", _ABSENT[op.domain], absent=True)
    if normal.rule(op):
        return Fact("normal form", "a rule brings its attributes into one form")
    return Fact("normal form", "its attributes have one form alone", absent=True)


def _forms(op: Op) -> str:
    return ", ".join(sorted(form for operator, form in FORMS if operator == op.name)) if not op.domain else ""


def _text(framework: str, op: Op, texts: Texts) -> Fact:
    if isinstance(texts, Unsupported):
        return Fact(framework, "written by its definition" if callable(op.definition) else texts.reason, absent=True)
    return Fact(framework, "  or  ".join(texts) if isinstance(texts, tuple) else "written by a function")
