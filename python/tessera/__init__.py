"""Tessera, an ahead-of-time compiler of neural networks.

    artifact = tessera.compile("model.onnx", target="circle", dims={"H": "1..4096", "W%8": 0})
    artifact.save("model.circle")
    print(artifact.run(x), artifact.certificate.summary())
"""

from __future__ import annotations

import logging as _logging

from . import _native, testing
from .arrays import Port
from .artifact import Artifact, Stream, load
from .certificate import Certificate, Obligation, Symbol
from .checking import (
    CertificateCheck,
    Proof,
    Verification,
    check_certificate,
    prove,
    verify,
)
from .compiling import compile, convert, target_flags, targets
from .errors import Error, Problem, UsageError
from .quantizing import Quality, Quantized, presets, quantize
from .running import Inspection, Network, inspect, run

__version__ = _native.VERSION

__all__ = [
    "Artifact",
    "Certificate",
    "CertificateCheck",
    "Error",
    "Inspection",
    "Network",
    "Obligation",
    "Port",
    "Problem",
    "Proof",
    "Quality",
    "Quantized",
    "Stream",
    "Symbol",
    "UsageError",
    "Verification",
    "check_certificate",
    "compile",
    "convert",
    "inspect",
    "load",
    "presets",
    "prove",
    "quantize",
    "run",
    "target_flags",
    "targets",
    "testing",
    "verify",
]

# Who wants to hear it adds a handler.
_logging.getLogger("tessera").addHandler(_logging.NullHandler())
