"""Make environments with one release of a compiler each. Pip installs the release, and the environment is kept.

    python benchmarks/published/environments.py COMPILER RELEASE [--folder DIR]

makes one and prints its interpreter; ``interpreter`` is the same as a function. Torch is installed without the CUDA
libraries that its wheels require (see ``cuda_stubs.py``). That saves gigabytes: only its CPU compiler is tested.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from filelock import FileLock
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

sys.path.insert(0, str(Path(__file__).parent))
import cuda_stubs

PACKAGES = {
    "inductor": "torch",
    "onnxruntime": "onnxruntime",
    "tvm": "apache-tvm",
    "xla": "tensorflow-cpu",
    "openvino": "openvino",
    "jax": "jax",
    "iree": "iree-base-compiler",
}
"""The package that contains each compiler."""

LIMITS = {
    "torch": {"2.3": ("sympy<1.13",), "2.9": ("numpy<2", "setuptools<70")},
    "onnxruntime": {"1.19": ("numpy<2",)},
    "apache-tvm": {"0.26": ("apache-tvm-ffi<0.1.13",)},
    "tensorflow-cpu": {"2.18": ("numpy<2", "setuptools<70")},
}
"""Further requirements of releases before a version: newer releases of these packages break them."""

BESIDES = {"apache-tvm": ("onnx",)}
"""Further packages for ``verify.py``: TVM reads ONNX triggers with the package onnx, but does not require it."""

CUDA_PACKAGES = ("nvidia-", "cuda-", "triton")
"""The beginnings of the names of packages that Torch's wheels require for CUDA alone."""


def interpreter(compiler: str, release: str, folder: Path, *, besides: Sequence[str] = (), ours: bool = True) -> Path:
    """Return a Python that has this release of the compiler: our own, or that of an environment in ``folder``.

    A missing environment is made, with the packages ``besides``; several processes may call this at once. Without
    ``ours``, our own Python is never used. Raises ``CalledProcessError`` if pip fails.
    """
    package = PACKAGES[compiler]
    if ours and _is_installed(package, release):
        return Path(sys.executable)
    environment = folder.absolute() / f"{package}-{release}"
    python = environment / "bin" / "python"
    ready = environment / ".ready"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{environment}.lock"):
        if not ready.exists():
            venv.create(environment, with_pip=True, clear=True)
            _install(python, package, release, besides)
            ready.touch()
    return python


def _is_installed(package: str, release: str) -> bool:
    try:
        return _exactly(release).contains(version(package), prereleases=True)
    except PackageNotFoundError:
        return False


def _exactly(release: str) -> SpecifierSet:
    """Return the specifier of a release, which also matches a rebuild (``.post1``) or a local build (``+cpu``)."""
    return SpecifierSet(f"=={release}.*")


def _install(python: Path, package: str, release: str, besides: Sequence[str]) -> None:
    dated = LIMITS.get(package, {})
    limits = [limit for before, them in dated.items() if Version(release) < Version(before) for limit in them]
    wanted = {package: f"{package}{_exactly(release)}", **{name: name for name in besides}}
    torch = wanted.pop("torch", "")
    if torch:
        _pip(python, "--no-deps", "--no-cache-dir", torch)
        cuda_stubs.add_to(next(python.parent.parent.glob("lib/python*/site-packages/torch/lib")))
        limits += ["numpy", "setuptools", *_without_cuda(python, "torch")]
    _pip(python, *wanted.values(), *limits, *BESIDES.get(package, ()))


def _without_cuda(python: Path, package: str) -> Iterator[str]:
    """Yield an installed package's requirements on this machine, by its metadata, without CUDA's packages."""
    ask = f"import importlib.metadata as m; print(*m.requires({package!r}), sep='\\n')"
    for line in subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout.splitlines():
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        if not requirement.name.startswith(CUDA_PACKAGES):
            yield f"{requirement.name}{requirement.specifier}"


def _pip(python: Path, *arguments: str) -> None:
    """Run pip. Show its errors only if it fails, since it always complains that CUDA's packages are missing."""
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", *arguments], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        done.check_returncode()


def main() -> None:
    """Make one environment, and print its interpreter."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler", choices=PACKAGES)
    parser.add_argument("release", help="of the compiler's package, as 2.5.1")
    parser.add_argument("--folder", type=Path, default=Path(".old"), help="where the environments are kept")
    options = parser.parse_args()
    print(interpreter(options.compiler, options.release, options.folder))


if __name__ == "__main__":
    main()
