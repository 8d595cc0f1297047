"""Attention with constant keys takes the keys of other heads, or none's, in OpenVINO 2026.4.1 on a CPU with bfloat16.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import openvino
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

HEADS, KEYS = 5, 4


def attention(q, k, v):
    scores = q @ k.swapaxes(-1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def run(q, k, v, constant, settings):
    """One output of Softmax(q k^T) v; k is a constant, or else an input."""
    inputs = {"q": q, "v": v} if constant else {"q": q, "v": v, "k": k}
    graph = helper.make_graph(
        [
            helper.make_node("Transpose", ["k"], ["turned"], perm=[0, 1, 3, 2]),
            helper.make_node("MatMul", ["q", "turned"], ["scores"]),
            helper.make_node("Softmax", ["scores"], ["weights"], axis=3),
            helper.make_node("MatMul", ["weights", "v"], ["y"]),
        ],
        "minimal",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name, x in inputs.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(k, "k")] if constant else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    core = openvino.Core()
    return core.compile_model(core.read_model(model.SerializeToString()), "CPU", settings)(inputs)[0]


def main():
    bfloat16 = {"INFERENCE_PRECISION_HINT": "bf16"}
    wrong = False
    for size, constant, settings in (
        (8, True, {}),
        (8, True, bfloat16),
        (8, True, {"INFERENCE_PRECISION_HINT": "f32"}),
        (8, True, bfloat16 | {"SNIPPETS_MODE": "DISABLE"}),
        (8, False, bfloat16),
        (16, True, bfloat16),
        (32, True, bfloat16),
    ):
        random = np.random.default_rng(0)
        q, k, v = (random.integers(-2, 3, (1, HEADS, KEYS, size)).astype(np.float32) for _ in range(3))
        y = run(q, k, v, constant, settings)[0]
        print("size", size, "k", "constant" if constant else "input", *settings.values())
        heads = []
        for head in range(HEADS):
            # By whose keys the head's result comes about; in bfloat16 it is right to two digits.
            made_by = [
                other
                for other in range(HEADS)
                if np.allclose(
                    y[head],
                    attention(*(x.astype(np.float64) for x in (q[0, head], k[0, other], v[0, head]))),
                    atol=0.05,
                )
            ]
            heads.append(made_by[0] if made_by else "none")
        print("    by the keys of head", *heads, "where", *range(HEADS), "are due")
        wrong |= heads != list(range(HEADS))
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
