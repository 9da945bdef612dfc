"""Networks as they are, and files of artifacts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from . import _native
from .arrays import Array, Port, as_inputs, taken
from .artifact import Artifact, load
from .options import Dims, Model, import_options, model_file, model_name


class Network:
    """A model on the reference executor, which everything else is compared with."""

    def __init__(
        self,
        model: Model,
        *,
        dims: Dims = None,
        bind: Mapping[str, object] | None = None,
        strict_dims: bool = False,
        strict_opset: bool = False,
        readings: Sequence[str] = (),
        max_unroll: int | None = None,
    ) -> None:
        self.name = model_name(model)
        with model_file(model) as path:
            self._native = _native.Network(
                path,
                import_options(
                    dims, bind, strict_dims, strict_opset, readings, max_unroll
                ),
            )

    @property
    def inputs(self) -> tuple[Port, ...]:
        return tuple(
            Port(name, dtype, shape) for name, dtype, shape, _ in self._native.inputs
        )

    @property
    def dims(self) -> dict[str, tuple[str, ...]]:
        """The dims of each input as the model calls them."""
        return {name: names for name, _, _, names in self._native.inputs}

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(self._native.outputs)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted of the sizes, beyond `dims`."""
        return tuple(self._native.assumptions)

    def run(self, *inputs: object, **named: object) -> dict[str, Array]:
        """The outputs by name; inputs as `Artifact.run` takes them."""
        outputs = self._native.run(as_inputs(self.inputs, inputs, named))
        return dict(zip(self.outputs, map(taken, outputs)))

    def random_inputs(self, count: int = 1, seed: int = 0) -> list[dict[str, Array]]:
        """Seeded inputs of up to `count` sizes that the declarations admit."""
        names = [port.name for port in self.inputs]
        return [
            dict(zip(names, map(taken, tensors)))
            for tensors in self._native.random_inputs(count, seed)
        ]

    def __repr__(self) -> str:
        return f"<network {self.name}: {', '.join(map(str, self.inputs))}>"


def run(
    model: Model | Artifact, *inputs: object, dims: Dims = None, **named: object
) -> dict[str, Array]:
    """Runs a network on the reference executor, or an artifact on its target's, once."""
    if isinstance(model, Artifact):
        return model.run(*inputs, **named)
    if isinstance(model, (str, os.PathLike)) and is_artifact(model):
        return load(model).run(*inputs, **named)
    return Network(model, dims=dims).run(*inputs, **named)


def is_artifact(path: str | os.PathLike[str]) -> bool:
    """Whether a file is called as artifacts of some target are."""
    ending = os.path.splitext(os.fspath(path))[1]
    return ending in {f".{suffix}" for suffix in _native.suffixes()}


class Inspection:
    """What a file holds: as text, JSON, and a page."""

    def __init__(self, artifact: Artifact, operators: bool, tensors: bool) -> None:
        self.artifact = artifact
        self.text = artifact.describe(operators=operators, tensors=tensors)

    @property
    def findings(self) -> list[str]:
        return self.artifact.check()

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.artifact._repr_html_()


def inspect(
    artifact: Artifact | str | os.PathLike[str],
    *,
    operators: bool = False,
    tensors: bool = False,
) -> Inspection:
    """Shows what an artifact holds; with `operators` each one with its options."""
    if not isinstance(artifact, Artifact):
        artifact = load(artifact)
    return Inspection(artifact, operators, tensors)
