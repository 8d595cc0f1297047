"""Programs of Torch: a module class as Python source."""

from polyjuice.program_formats import Format, Part

FORMAT = Format(
    name="torch",
    title="Torch",
    lower=Part("polyjuice.lower.torch_source:lower"),
    rendering=Part("polyjuice.triage.reproducers.of_torch:RENDERING"),
    valid="The program is valid: PyTorch runs it without `torch.compile`.",
    dialect=Part("polyjuice.lower.torch_source:DIALECT"),
    forms=Part("polyjuice.lower.torch_forms:DECLARED"),
    settings=Part("polyjuice.lower.torch_source:SETTINGS"),
    layouts=Part("polyjuice.lower.torch_source:LAYOUTS"),
    product="torch",
    written_for="2.13.0",
    updates=True,
    dynamic_types=True,
    edge_defined=True,
    widen=Part("polyjuice.user_models.precision:torch_in_float64"),
    take_apart=Part("polyjuice.user_models.torch_steps:taken_apart"),
    environment=Part("polyjuice.triage.environment:collect_env"),
    read=Part("polyjuice.user_models.torch_program:graph_of"),
)
