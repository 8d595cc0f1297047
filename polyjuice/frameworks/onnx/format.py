"""Programs of ONNX: serialized models."""

from polyjuice.frameworks.registry import Format, Part

FORMAT = Format(
    name="onnx",
    title="ONNX",
    lower=Part("polyjuice.frameworks.onnx.model:lower"),
    rendering=Part("polyjuice.frameworks.onnx.reproducer:RENDERING"),
    valid="The model is valid ONNX.",
    binary=True,
    suffix="onnx",
    forms=Part("polyjuice.frameworks.onnx.model:FORMS"),
    versions=Part("polyjuice.frameworks.onnx.opsets:versions"),
    without_forms=Part("polyjuice.frameworks.onnx.model:without_forms"),
    decompose=Part("polyjuice.ops.decompose:decompose"),
    left_open=True,
    on_gpu=False,
    widen=Part("polyjuice.frameworks.precision:onnx_in_float64"),
    split=Part("polyjuice.frameworks.onnx.split:split_program"),
    read=Part("polyjuice.frameworks.onnx.user_program:graph_of"),
)
