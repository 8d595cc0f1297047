"""Programs of TensorFlow: a module class as Python source."""

from polyjuice.frameworks.registry import Format, Part

FORMAT = Format(
    name="tensorflow",
    title="TensorFlow",
    lower=Part("polyjuice.frameworks.tensorflow.source:lower"),
    rendering=Part("polyjuice.frameworks.tensorflow.source:RENDERING"),
    valid="The program is valid: TensorFlow runs it without the compiler.",
    dialect=Part("polyjuice.frameworks.tensorflow.source:DIALECT"),
    settings=Part("polyjuice.frameworks.tensorflow.source:SETTINGS"),
    product="tensorflow",
    written_for="2.21.0",
    ordered_ties=False,
    widen=Part("polyjuice.frameworks.precision:tensorflow_in_float64"),
    read_callable=Part("polyjuice.frameworks.tensorflow.user_program:from_function"),
)
