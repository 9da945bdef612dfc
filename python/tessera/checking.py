"""Whether what was compiled is right: by values, and by proofs."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _native
from .certificate import Certificate
from .options import (
    Dims,
    FlagValue,
    Model,
    flag_values,
    import_options,
    model_file,
)


@dataclass(frozen=True)
class Report:
    """A text, and whether what it is about holds."""

    holds: bool
    text: str

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        verdict = "holds" if self.holds else "does not hold"
        return f"<p><b>{verdict}</b></p><pre>{html.escape(self.text)}</pre>"


@dataclass(frozen=True)
class Verification(Report):
    """How outputs compare: each case, each output."""

    json: Any


@dataclass(frozen=True)
class Proof(Report):
    """What was proved of a network's shapes."""

    certificate: Certificate
    assumptions: tuple[str, ...]


def verify(
    model: Model,
    *,
    target: str | None = None,
    data: str | os.PathLike[str] | None = None,
    sizes: int = 0,
    runtime: str | None = None,
    runtime_dir: str | os.PathLike[str] | None = None,
    dims: Dims = None,
    bind: Mapping[str, object] | None = None,
    strict_dims: bool = False,
    strict_opset: bool = False,
    readings: Sequence[str] = (),
    max_unroll: int | None = None,
    **flags: FlagValue,
) -> Verification:
    """Compares the reference executor with the outputs stored beside a model, and, where a target
    is named, its artifact, executed from its bytes, with the reference.

    `data` holds folders `test_data_set_K`; without any, seeded inputs of `sizes` sizes, or four, are
    tried. `runtime` is one of others that is installed."""
    with model_file(model) as path:
        folder = os.path.dirname(path) or "." if data is None else os.fspath(data)
        holds, text, report = _native.verify(
            path,
            target or "",
            flag_values(flags),
            import_options(
                dims, bind, strict_dims, strict_opset, readings, max_unroll
            ),
            folder,
            sizes,
            runtime or "",
            "" if runtime_dir is None else os.fspath(runtime_dir),
        )
    return Verification(holds, text, json.loads(report))


def prove(
    model: Model,
    *,
    dims: Dims = None,
    guards: bool = False,
    whole: bool = False,
    bind: Mapping[str, object] | None = None,
    strict_dims: bool = False,
    strict_opset: bool = False,
    readings: Sequence[str] = (),
    max_unroll: int | None = None,
) -> Proof:
    """Proves what a network requires of its shapes for all sizes that `dims` admits.

    Raises `tessera.Error` with a size that breaks it, the constraint, and what would help
    (`remedy`)."""
    with model_file(model) as path:
        table, certificate, assumptions = _native.prove(
            path,
            import_options(
                dims, bind, strict_dims, strict_opset, readings, max_unroll
            ),
            guards,
            whole,
        )
    read = Certificate(certificate)
    holds = all(obligation.proved for obligation in read.obligations)
    return Proof(holds, table, read, tuple(assumptions))


@dataclass(frozen=True)
class CertificateCheck(Report):
    """`verdict` is `accepted`, `not proved` or `rejected`."""

    verdict: str


def check_certificate(
    path: str | os.PathLike[str],
    *,
    model: str | os.PathLike[str] | None = None,
    solver: str | os.PathLike[str] | None = None,
    allow_evaluated: bool = False,
    timeout: int = 600,
) -> CertificateCheck:
    """Checks a certificate again with another solver, and the artifact beside it; with `model`,
    also that it states what model and definitions require."""
    libraries = ""
    if solver is None:
        here = os.path.dirname(os.path.abspath(__file__))
        solver = os.path.join(here, "bin", "cvc5")
        libraries = os.path.join(here, "lib")
    verdict, text = _native.check_certificate(
        os.fspath(path),
        "" if model is None else os.fspath(model),
        os.fspath(solver),
        libraries,
        allow_evaluated,
        timeout,
    )
    return CertificateCheck(verdict == "accepted", text, verdict)
