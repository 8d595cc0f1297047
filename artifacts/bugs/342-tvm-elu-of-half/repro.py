"""Elu and Selu of float16 do not load, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
from onnx import checker, parser
from tvm.relax.frontend.onnx import from_onnx


def failure(operator, kind):
    """Return the first line of the importer's error, or an empty text."""
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        activation ({kind}[2] x) => ({kind}[2] y) {{
            y = {operator} (x)
        }}
    """)
    checker.check_model(model, full_check=True)
    try:
        from_onnx(model, keep_params_in_input=False)
    except Exception as error:
        return str(error).splitlines()[0]
    return ""


failures = {(o, k): failure(o, k) for o in ("LeakyRelu", "Elu", "Selu") for k in ("float", "float16")}
for (operator, kind), error in failures.items():
    print(operator, "of", kind + ":", error or "it loads")
sys.exit(int(any(f and k == "float16" for (_, k), f in failures.items()) and not failures["Elu", "float"]))
