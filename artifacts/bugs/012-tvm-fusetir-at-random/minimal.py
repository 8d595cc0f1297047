"""FuseOps drops a parameter of a function that it makes, at random: it visits tuples in an order made by addresses.

One operator takes fields of three tuples: concat((t0[0], t1[0], t1[1], t2[0])). Under TVM 0.27.0.post1, built with
GCC's standard library, its function is ill-formed where the addresses of t0 and t2, and not that of t1, are the same
modulo 13, and nowhere else. Programs are built with tuples at such addresses and at others, and the failures of each
kind are counted. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import itertools
import sys

REPEATS = 50  # programs of each kind
BUCKETS = 13  # of a std::unordered_map, from its first element on


def build(relax, t0, t1, t2):
    builder = relax.BlockBuilder()
    with builder.function("main", [t0, t1, t2]):
        with builder.dataflow():
            fields = [builder.emit(relax.TupleGetItem(*item)) for item in ((t0, 0), (t1, 0), (t1, 1), (t2, 0))]
            output = builder.emit_output(relax.op.concat(fields))
        builder.emit_func_output(output)
    return builder.get()


def problem(tvm, module):
    """What FuseOps left, and what FuseTIR says of it; an empty string where both are fine."""
    transform, found = tvm.relax.transform, []
    for step in (transform.LegalizeOps(), transform.AnnotateTIROpPattern(), transform.FuseOps()):
        module = step(module)
    try:
        tvm.relax.analysis.well_formed(module)
    except ValueError as error:
        found.append("after FuseOps: " + str(error).splitlines()[0])
    try:
        transform.FuseTIR()(module)
    except tvm.error.InternalError as error:
        found.append("in FuseTIR: " + str(error).splitlines()[0])
    return "\n    ".join(found)


def main():
    import tvm
    from tvm import relax

    tensor = relax.TensorType((1,), "float32")
    pool = [relax.Var("t", relax.TupleType([tensor, tensor])) for _ in range(60)]
    bucket = {id(var): var.__chandle__() % BUCKETS for var in pool}
    kinds = {"t0 and t2 in one bucket, t1 in another": [], "any other addresses": []}
    collide, others = kinds.values()
    for triple in itertools.permutations(pool, 3):
        b0, b1, b2 = (bucket[id(var)] for var in triple)
        (collide if b0 == b2 != b1 else others).append(triple)
    failed = 0
    for kind, triples in kinds.items():
        chosen = triples[:: max(len(triples) // REPEATS, 1)][:REPEATS]
        problems = [text for text in (problem(tvm, build(relax, *triple)) for triple in chosen) if text]
        failed += len(problems)
        print(f"{kind}: {len(problems)} of {len(chosen)} fail", *sorted(set(problems)), sep="\n    ")
    return 1 if failed else 0


try:
    status = main()
except Exception as error:
    print("could not run:", type(error).__name__, error)
    status = 2
sys.exit(status)
