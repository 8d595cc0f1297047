"""Programs of TensorFlow: a module class as Python source."""

from polyjuice.program_formats import Format, Part

FORMAT = Format(
    name="tensorflow",
    title="TensorFlow",
    lower=Part("polyjuice.lower.tensorflow_source:lower"),
    rendering=Part("polyjuice.triage.reproducers.of_tensorflow:RENDERING"),
    valid="The program is valid: TensorFlow runs it without the compiler.",
    dialect=Part("polyjuice.lower.tensorflow_source:DIALECT"),
    settings=Part("polyjuice.lower.tensorflow_source:SETTINGS"),
    product="tensorflow",
    written_for="2.21.0",
    ordered_ties=False,
    widen=Part("polyjuice.user_models.precision:tensorflow_in_float64"),
)
