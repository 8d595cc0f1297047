"""Programs of ONNX: serialized models."""

from polyjuice.program_formats import Format, Part

FORMAT = Format(
    name="onnx",
    title="ONNX",
    lower=Part("polyjuice.lower.onnx_model:lower"),
    rendering=Part("polyjuice.triage.reproducers.of_onnx:RENDERING"),
    valid="The model is valid ONNX.",
    binary=True,
    suffix="onnx",
    forms=Part("polyjuice.lower.onnx_model:FORMS"),
    versions=Part("polyjuice.lower.onnx_opsets:versions"),
    without_forms=Part("polyjuice.lower.onnx_model:without_forms"),
    decompose=Part("polyjuice.ops.decompose:decompose"),
    left_open=True,
    on_gpu=False,
    widen=Part("polyjuice.user_models.precision:onnx_in_float64"),
    take_apart=Part("polyjuice.user_models.onnx_steps:taken_apart"),
    read=Part("polyjuice.user_models.onnx_program:graph_of"),
)
