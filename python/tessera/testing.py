"""For tests of networks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from . import _native
from .arrays import Array, array_of, lent, type_name
from .artifact import Artifact
from .errors import UsageError
from .options import Dims, Model
from .running import Network

#: The largest error, as a part of the output's range (PEIR), of a network of floats.
TOLERANCE = 1e-5


def peir(expected: object, actual: object) -> float:
    """The peak error to interval ratio of two arrays: the largest difference by
    the range of what is expected. Raises AssertionError where shapes or types differ."""
    return _compare(array_of(expected), array_of(actual), 0.0)[2]


def _compare(want: Array, have: Array, tolerance: float) -> tuple[bool, str, float]:
    assert want.shape == have.shape, (
        f"shape {list(have.shape)}, expected {list(want.shape)}"
    )
    assert want.dtype == have.dtype, f"elements of {have.dtype}, expected {want.dtype}"
    name = type_name(want.dtype)
    assert name is not None, f"no tensor has elements of {want.dtype}"
    return _native.compare([lent(want, name), lent(have, name)], tolerance)


def assert_parity(
    model: Any,
    artifact: Artifact,
    inputs: object = None,
    *,
    tolerance: float = TOLERANCE,
    dims: Dims = None,
) -> None:
    """Asserts that an artifact computes what its model does.

    `model` is a file or an ONNX model, which the reference executor runs, or anything that is
    called with the inputs, a module of PyTorch, say. `inputs` is a sequence of arrays in the order
    of the artifact's inputs, a mapping by name, or a pair of both, `(args, kwargs)`; a list of
    tuples, mappings or pairs is a case each. Left out, seeded ones of several sizes that the
    artifact admits are tried. Outputs are compared as `tessera verify` does: those of floats have a
    `peir` within the tolerance, all others are equal."""
    called = callable(model) and not isinstance(model, type)
    network = None
    if not called:
        admitted = _admitted(artifact) if dims is None else dims
        network = Network(cast(Model, model), dims=admitted)
    for args, kwargs in _cases(network, artifact, inputs):
        case = _by_name(artifact, args, kwargs)
        actual = list(artifact.run(case).values())
        if network is not None:
            expected = list(network.run(case).values())
        else:
            expected = _outputs_of(model(*args, **kwargs))
        assert len(expected) == len(actual), (
            f"{len(expected)} outputs of the model, {len(actual)} of the artifact"
        )
        for port, want, have in zip(artifact.outputs, expected, actual):
            _assert_output(port.name, want, have, tolerance, case)


#: Arguments by position and by name.
Case = tuple[Sequence[Any], Mapping[str, Any]]


def _admitted(artifact: Artifact) -> list[str] | None:
    """What the artifact was compiled for, as `dims` says it."""
    if artifact.certificate is None:
        return None
    dims = [
        option.removeprefix("--dim ")
        for option in artifact.certificate.options
        if option.startswith("--dim ")
    ]
    return dims or None


def _is_case(value: object) -> bool:
    return isinstance(value, (tuple, Mapping))


def _case(artifact: Artifact, value: object) -> Case:
    if isinstance(value, Mapping):
        return [value[port.name] for port in artifact.inputs], {}
    if isinstance(value, (tuple, list)):
        if len(value) == 2 and isinstance(value[0], tuple) and isinstance(value[1], Mapping):
            return value[0], value[1]
        return value, {}
    return (value,), {}


def _cases(network: Network | None, artifact: Artifact, inputs: object) -> Iterable[Case]:
    if inputs is not None:
        several = isinstance(inputs, list) and inputs and all(map(_is_case, inputs))
        return [_case(artifact, each) for each in cast("list[object]", inputs if several else [inputs])]
    if network is None:
        raise UsageError("inputs of a model that is called are not made up: give some")
    cases = network.random_inputs(4)
    if not cases:
        raise UsageError("no small sizes are admitted; give inputs")
    return [_case(artifact, case) for case in cases]


def _by_name(artifact: Artifact, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    names = [port.name for port in artifact.inputs]
    rest = [name for name in names if name not in kwargs]
    if len(args) != len(rest) or len(rest) + len(kwargs) != len(names):
        raise UsageError(
            f"{len(args) + len(kwargs)} inputs, and the artifact has {', '.join(names)}"
        )
    values = {**dict(zip(rest, args)), **kwargs}
    return {name: values[name] for name in names}


def _outputs_of(result: object) -> list[Array]:
    if isinstance(result, Mapping):
        return [array_of(value) for value in result.values()]
    if isinstance(result, (tuple, list)):
        return [array_of(value) for value in cast("Sequence[object]", result)]
    return [array_of(result)]


def _assert_output(
    name: str, want: Array, have: Array, tolerance: float, case: Mapping[str, Any]
) -> None:
    sizes = ", ".join(f"{key}: {list(np.shape(value))}" for key, value in case.items())
    try:
        holds, complaint, _ = _compare(want, have, tolerance)
    except AssertionError as difference:
        holds, complaint = False, str(difference)
    assert holds, f"output `{name}`: {complaint}, for {sizes}"
