"""Models to smaller models."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from . import _native
from .arrays import array_of
from .artifact import framed
from .errors import UsageError
from .options import Dims, Model, import_options, model_file

LOG = logging.getLogger("tessera")

#: A folder of samples, or samples: the arrays of one run by name, in order, or the only one.
Samples = Union[str, "os.PathLike[str]", Iterable[object]]


@dataclass(frozen=True)
class Quality:
    """How well an output of the compressed model is that of the original, over samples; in dB."""

    output: str
    snr: float  # the median
    worst: float
    varying: float  # of the part of the output that varies from sample to sample
    largest_error: float
    samples: int


@dataclass(frozen=True)
class Quantized:
    """A compressed ONNX model; `compile` takes its `model`."""

    model: bytes
    bytes_before: int
    summary: str
    qualities: tuple[Quality, ...]
    left_exact: tuple[str, ...]  # scopes that a bound keeps as they are
    commands: tuple[str, ...]
    page: str

    def save(self, path: str | os.PathLike[str]) -> None:
        path = os.fspath(path)
        with tempfile.NamedTemporaryFile(
            dir=os.path.dirname(path) or ".", delete=False
        ) as file:
            try:
                file.write(self.model)
                file.flush()
                os.fchmod(file.fileno(), 0o644)
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise

    def __str__(self) -> str:
        lines = [self.summary] + [
            f"output `{q.output}`: SNR {q.snr:.1f} dB, worst {q.worst:.1f} dB, over {q.samples} samples"
            for q in self.qualities
        ]
        lines.append(f"{len(self.model)} bytes, before {self.bytes_before}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return framed(self.page)


@contextmanager
def _folder(samples: Samples | None) -> Iterator[str]:
    if samples is None or isinstance(samples, (str, os.PathLike)):
        yield "" if samples is None else os.fspath(samples)
        return
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        count = 0
        for count, sample in enumerate(samples, 1):
            path = os.path.join(folder, f"{count:08}.npz")
            if isinstance(sample, Mapping):
                named: dict[str, Any] = {name: array_of(v) for name, v in sample.items()}
                np.savez(path, **named)
            elif isinstance(sample, (tuple, list)):
                np.savez(path, *map(array_of, sample))
            else:
                np.savez(path, array_of(sample))
        if count == 0:
            raise UsageError("there are no samples")
        yield folder


def presets() -> list[str]:
    """Configurations that come along."""
    return _native.presets()


def quantize(
    model: Model,
    samples: Samples | None = None,
    *,
    preset: str = "int8",
    config: str | os.PathLike[str] | None = None,
    evaluate: Samples | None = None,
    resume: str | os.PathLike[str] | None = None,
    min_snr: float | None = None,
    max_drop: float | None = None,
    dims: Dims = None,
) -> Quantized:
    """Compresses a model of ONNX: quantizes weights and activations, prunes, as a preset or a YAML
    configuration says. `samples` are of its inputs; it is compared with the original on `evaluate`,
    or on these. With `min_snr`, in dB, or `max_drop`, what the error adds to
    the part of an output that varies, as few operations stay exact as it takes; a part of `samples`
    is held out to judge by then, if there is no `evaluate`. `resume` is a folder that keeps what
    each step has made: the next time what was done is not done again."""
    for name, bound in (("min_snr", min_snr), ("max_drop", max_drop)):
        if bound is not None and samples is None and evaluate is None:
            raise UsageError(f"`{name}` needs samples")
    if min_snr is not None and max_drop is not None:
        raise UsageError("`min_snr` and `max_drop` exclude each other")
    if max_drop is not None and not 0 < max_drop < float("inf"):
        raise UsageError("`max_drop` is a number of dB above 0")
    with model_file(model) as path, _folder(samples) as data, _folder(
        evaluate
    ) as other:
        made = _native.quantize(
            path,
            preset,
            "" if config is None else os.fspath(config),
            data,
            other,
            "" if resume is None else os.fspath(resume),
            min_snr,
            max_drop,
            import_options(dims),
        )
    for note in made["notes"]:
        LOG.warning("%s", note)
    return Quantized(
        made["model"],
        made["bytes_before"],
        made["summary"],
        tuple(Quality(*each) for each in made["qualities"]),
        tuple(made["left_exact"]),
        tuple(made["commands"]),
        made["html"],
    )
