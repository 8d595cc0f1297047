"""TVM 0.27.0.post1 compiles the same ONNX model or fails in FuseTIR, at random.

Compiles two models again and again in one process: minimal.onnx (three Splits of constants and a Concat), which fails
about one time in twelve, and found.onnx, which fails about every other time.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIMES = {"minimal.onnx": 200, "found.onnx": 20}
CHECK = "buffer_idx == buffers.size()"

try:
    import onnx
    import tvm
    import tvm.relax.frontend.onnx

    MODELS = {name: onnx.load(HERE / name) for name in TIMES}
except (ImportError, OSError) as error:
    print("could not run:", error)
    sys.exit(2)


def outcome(model):
    """Import and fuse the model, before any code is made: how that ended."""
    try:
        module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
        with tvm.transform.PassContext(opt_level=3):
            tvm.relax.get_pipeline("zero")(module)
    except Exception as error:
        return type(error).__name__ + ": " + str(error).strip().splitlines()[0]
    return "compiled"


outcomes = Counter()
for name, model in MODELS.items():
    counts = Counter(outcome(model) for _ in range(TIMES[name]))
    outcomes += counts
    print(f"{name}, compiled {TIMES[name]} times:")
    for text, count in counts.most_common():
        print(f"{count:5} {text}")
if any(CHECK in text for text in outcomes):
    sys.exit(1)
sys.exit(0 if set(outcomes) == {"compiled"} else 2)
