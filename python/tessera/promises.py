"""Sizes that a user asks to stay open when a module is exported, and whether they did."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .errors import UsageError


class Promise(NamedTuple):
    """What `dynamic_shapes` says of one tensor: axes that stay open, and such as PyTorch may fix."""

    open: frozenset[int]
    left_to_pytorch: frozenset[int]


def _hint(dim: object) -> str:
    """`AUTO`, `DYNAMIC` or `STATIC`, of PyTorch's hints in place of a named dim."""
    return str(getattr(getattr(dim, "type", dim), "name", ""))


def _promise(shape: Any) -> Promise:
    dims: dict[int, Any] = dict(
        shape.items() if isinstance(shape, Mapping) else enumerate(shape or ())
    )
    asked = {
        axis: dim
        for axis, dim in dims.items()
        if dim is not None and not isinstance(dim, int) and _hint(dim) != "STATIC"
    }
    auto = frozenset(axis for axis, dim in asked.items() if _hint(dim) == "AUTO")
    return Promise(frozenset(asked) - auto, auto)


def _of(value: Any, shape: Any) -> Iterator[Promise]:
    """Of each tensor of a structure, in PyTorch's order of them."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        yield _promise(shape)
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _of(entry, None if shape is None else shape.get(key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for at, entry in enumerate(value):
            yield from _of(entry, None if shape is None else shape[at])


def promises(
    module: Any, inputs: Sequence[Any], kwargs: Mapping[str, Any] | None, shapes: Any
) -> list[Promise]:
    """What `dynamic_shapes` says of each input tensor of `module`."""
    forward = getattr(module, "forward", module)
    given = inspect.signature(forward).bind(*inputs, **(kwargs or {})).arguments
    if isinstance(shapes, Mapping):
        return list(_of(given, shapes))
    return list(_of(tuple(given.values()), shapes))


def check(program: Any, promised: Sequence[Promise]) -> list[str]:
    """Raises `UsageError` where an axis that was to stay open has one size in the exported program;
    says which PyTorch fixed that was left to it."""
    user = set(program.graph_signature.user_inputs)
    tensors = [
        (node.name, node.meta["val"].shape)
        for node in program.graph.nodes
        if node.op == "placeholder" and node.name in user and hasattr(node.meta.get("val"), "shape")
    ]
    if len(tensors) != len(promised):
        raise UsageError(
            f"`dynamic_shapes` speaks of {len(promised)} tensors, the exported program takes "
            f"{len(tensors)}"
        )
    fixed: list[str] = []
    told: list[str] = []
    for (name, shape), promise in zip(tensors, promised):
        for axis in sorted(promise.open | promise.left_to_pytorch):
            # PyTorch keeps symbols of which it knows the number.
            if axis < len(shape) and not str(shape[axis]).isdecimal():
                continue
            size = f"always {shape[axis]}" if axis < len(shape) else "not there"
            what = f"axis {axis} of input `{name}` is {size}"
            (fixed if axis in promise.open else told).append(what)
    if fixed:
        raise UsageError(
            "`dynamic_shapes` asks for sizes that the exported program has not: "
            + "; ".join(fixed)
            + ". Something in the module fixes them, such as a number made of a size, or an example "
            "of size 1; export with an example of another size, or leave these axes out"
        )
    return [f"{what}: PyTorch made it so, which `Dim.AUTO` allows" for what in told]
