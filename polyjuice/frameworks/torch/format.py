"""Programs of Torch: a module class as Python source."""

from polyjuice.frameworks.registry import Format, Part

FORMAT = Format(
    name="torch",
    title="Torch",
    lower=Part("polyjuice.frameworks.torch.source:lower"),
    rendering=Part("polyjuice.frameworks.torch.reproducer:RENDERING"),
    valid="The program is valid: PyTorch runs it without `torch.compile`.",
    dialect=Part("polyjuice.frameworks.torch.source:DIALECT"),
    forms=Part("polyjuice.frameworks.torch.forms:DECLARED"),
    settings=Part("polyjuice.frameworks.torch.source:SETTINGS"),
    layouts=Part("polyjuice.frameworks.torch.source:LAYOUTS"),
    product="torch",
    written_for="2.13.0",
    updates=True,
    dynamic_types=True,
    edge_defined=True,
    widen=Part("polyjuice.frameworks.precision:torch_in_float64"),
    split=Part("polyjuice.frameworks.torch.split:split_program"),
    environment=Part("polyjuice.triage.environment:collect_env"),
    read=Part("polyjuice.frameworks.torch.user_program:graph_of"),
    read_callable=Part("polyjuice.frameworks.torch.user_program:from_module"),
    read_exported=Part("polyjuice.frameworks.torch.user_program:load"),
    read_at_sizes=Part("polyjuice.frameworks.torch.user_program:at_sizes"),
)
