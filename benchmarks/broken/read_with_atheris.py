"""Let atheris search for models on which the reader fails: coverage-guided, on top of Hypothesis and the mutator.

    pip install --target FOLDER atheris
    PYTHONPATH=FOLDER python benchmarks/broken/read_with_atheris.py CORPUS -max_total_time=600

``CORPUS`` is a folder, which gets the small models of :mod:`benchmarks.broken.bases` and what atheris finds. atheris
ends at the first input on which the reader raises anything but a FormatError, and writes that input to a file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris  # type: ignore[import-not-found]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import ModelProto

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

with atheris.instrument_imports(include=["polyjuice.formats", "polyjuice.ops", "polyjuice.ir"]):
    from polyjuice import formats

from benchmarks.broken import bases

_LIMITS = formats.ReadLimits(elements=1 << 16, nodes=1000)


def read(data: bytes) -> None:
    """Read a model in this process. Raises what the reader should not raise."""
    try:
        formats.from_model(ModelProto.FromString(data), limits=_LIMITS)
    except (DecodeError, formats.FormatError):
        return


def main() -> None:
    """Fill the corpus, and search."""
    corpus = Path(sys.argv[1])
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(bases.models()):
        if len(data) <= 1000:
            (corpus / f"base-{number:03d}.onnx").write_bytes(data)
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
