"""Artifacts: what a network is compiled to."""

from __future__ import annotations

import html
import json
import os
from typing import Any

from . import _native
from .arrays import Array, Port, as_inputs, taken
from .certificate import Certificate


def framed(page: str) -> str:
    """A page within another."""
    return (
        '<iframe style="width:100%;height:36em;border:1px solid #ccc" sandbox="" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )


class Artifact:
    """A compiled network. What comes of `tessera.compile`, `convert` and `load`."""

    def __init__(self, native: _native.Artifact, name: str) -> None:
        self._native = native
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def target(self) -> str:
        return self._native.target

    @property
    def suffix(self) -> str:
        """What files of such artifacts end with, without the dot."""
        return self._native.suffix

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self._native.data

    def __bytes__(self) -> bytes:
        return self.data

    @property
    def inputs(self) -> tuple[Port, ...]:
        return tuple(Port(*port) for port in self._native.inputs)

    @property
    def outputs(self) -> tuple[Port, ...]:
        return tuple(Port(*port) for port in self._native.outputs)

    @property
    def certificate(self) -> Certificate | None:
        """None of a file without one beside it."""
        text = self._native.certificate
        return Certificate(text) if text else None

    @property
    def summary(self) -> str:
        """What the compiler said; empty of a file."""
        return self._native.summary

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it, and its certificate to `PATH.cert.json`: both, or none."""
        self._native.save(os.fspath(path))

    def run(self, *inputs: object, **named: object) -> dict[str, Array]:
        """Executes it; the outputs by name, in their order.

        Inputs are arrays of numpy, or of anything that speaks DLPack, in the order of `inputs`, by
        name, or one mapping. Arrays are not copied, unless they are not contiguous. They are whole:
        no run depends on another (`stream` is for parts)."""
        outputs = self._native.run(as_inputs(self.inputs, inputs, named))
        return {port.name: taken(each) for port, each in zip(self.outputs, outputs)}

    def stream(self) -> Stream:
        """Runs whose inputs are parts of a stream, one behind the other."""
        return Stream(self._native.stream(), self.inputs, self.outputs)

    def __call__(self, *inputs: object, **named: object) -> Array | tuple[Array, ...]:
        """As `run`, as networks are called: the only output itself, several as a tuple."""
        outputs = tuple(self.run(*inputs, **named).values())
        return outputs[0] if len(outputs) == 1 else outputs

    def describe(self, *, operators: bool = False, tensors: bool = False) -> str:
        """What it holds, as text."""
        return "\n".join(
            text.rstrip("\n") + ("\n" + _table(rows) if rows else "")
            for text, rows in self._native.describe(operators, tensors)
        ).strip("\n")

    @property
    def json(self) -> Any:
        """Everything that it holds but the bytes of constants."""
        return json.loads(self._native.json())

    def check(self) -> list[str]:
        """What the format's readers would have against it, errors first; nothing: it is sound."""
        return [
            ("error: " if is_error else "warning: ") + text
            for is_error, text in self._native.check()
        ]

    def not_run_by(self, runtime: str) -> list[str]:
        """What that runtime of others is not known to run of it, and why."""
        return self._native.not_run_by(runtime)

    def html(self) -> str:
        """A page about it that needs no other file."""
        return self._native.html(self._name)

    def _repr_html_(self) -> str:
        return framed(self.html())

    def __repr__(self) -> str:
        return f"<{self.target} artifact {self._name}, {len(self.data)} bytes>"


class Stream:
    """A stream of an artifact's: what it keeps from one part to the next is this one's own."""

    def __init__(
        self,
        native: _native.Stream,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
    ) -> None:
        self._native = native
        self._inputs = inputs
        self._outputs = outputs

    def run(self, *inputs: object, **named: object) -> dict[str, Array]:
        """The next part; inputs as `Artifact.run` takes them. An output that comes late has fewer
        entries at first. Behind an error another stream begins."""
        outputs = self._native.run(as_inputs(self._inputs, inputs, named))
        return {port.name: taken(each) for port, each in zip(self._outputs, outputs)}

    def end(self) -> dict[str, Array]:
        """What is still to come; empty where nothing comes late. The next part begins another
        stream."""
        outputs = self._native.end()
        return {port.name: taken(each) for port, each in zip(self._outputs, outputs)}


def _table(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in rows
    )


def load(path: str | os.PathLike[str]) -> Artifact:
    """An artifact from a file, with the certificate beside it, if it has one that was made for it."""
    path = os.fspath(path)
    return Artifact(_native.open(path), os.path.basename(path))
