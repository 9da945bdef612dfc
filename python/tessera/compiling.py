"""Networks to artifacts."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _native
from .artifact import Artifact
from .errors import UsageError
from .options import (
    Dims,
    FlagValue,
    Model,
    flag_values,
    import_options,
    model_file,
    model_folder,
    model_name,
)
from .promises import check, promises

LOG = logging.getLogger("tessera")

#: Called with the name of each phase when it begins.
Progress = Callable[[str], object]


def compile(
    model: Model,
    *,
    target: str | None = None,
    dims: Dims = None,
    bind: Mapping[str, object] | None = None,
    guards: bool = False,
    strict_dims: bool = False,
    strict_opset: bool = False,
    strict_floats: bool = False,
    readings: Sequence[str] = (),
    max_unroll: int | None = None,
    disable_passes: Sequence[str] = (),
    config: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **flags: FlagValue,
) -> Artifact:
    """Compiles a network of ONNX or PyTorch (`.pt2`) for a target, the first of `targets()` if none
    is named. The other arguments are the flags of `tessera compile`, `flags` those of the target.

    Raises `tessera.Error` where the network is not right for all sizes that `dims` admits, or
    something in it is not supported. Messages go to the logger `tessera`: what the compiler sums up
    (INFO), phases (DEBUG), what it assumed (WARNING)."""

    def began(phase: str) -> None:
        LOG.debug("%s", phase)
        if progress is not None:
            progress(phase)

    with model_file(model) as path:
        native = _native.compile(
            path,
            target or "",
            flag_values(flags),
            import_options(
                dims, bind, strict_dims, strict_opset, readings, max_unroll
            ),
            guards,
            list(disable_passes),
            strict_floats,
            "" if config is None else os.fspath(config),
            began,
        )
    artifact = Artifact(native, f"{model_name(model)}.{native.suffix}")
    for line in artifact.summary.splitlines():
        assumed = line.startswith(("assumed", "results may differ"))
        LOG.log(logging.WARNING if assumed else logging.INFO, "%s", line)
    return artifact


def convert(
    module: Any,
    example_inputs: Sequence[Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    strict: bool = False,
    **options: Any,
) -> Artifact:
    """Compiles a module of PyTorch, or a program of `torch.export.export`.

    PyTorch only exports the module and saves the program; it is read without it. `options` are
    those of `compile`. A size that `dynamic_shapes` asks for and the program has not is an error."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise UsageError(
            "`convert` exports with PyTorch, which is not installed; a program that was saved by "
            "`torch.export.save` is compiled without it: `tessera.compile('model.pt2')`"
        ) from error
    if getattr(module, "training", False) is True:
        raise UsageError("the module is in training mode; call `.eval()` first")
    if hasattr(module, "graph_signature"):
        if dynamic_shapes is not None:
            raise UsageError("an exported program has its sizes; `dynamic_shapes` is for modules")
        program = module
        name = "program"
    else:
        if example_inputs is None:
            raise UsageError("a module is exported with `example_inputs`")
        program = torch.export.export(
            module,
            tuple(example_inputs),
            kwargs=dict(kwargs) if kwargs else None,
            dynamic_shapes=dynamic_shapes,
            strict=strict,
        )
        name = type(module).__name__
        if dynamic_shapes is not None:
            asked = promises(module, example_inputs, kwargs, dynamic_shapes)
            for line in check(program, asked):
                LOG.warning("%s", line)
    with model_folder() as folder:
        path = os.path.join(folder, f"{name}.pt2")
        torch.export.save(program, path)
        return compile(path, **options)


def targets() -> list[str]:
    """What there is to compile for; the first is the default."""
    return _native.targets()


def target_flags(target: str) -> dict[str, str]:
    """The flags that a target has of its own, as `compile` takes them, and what they do."""
    return {
        name.replace("-", "_"): doc
        for name, _, doc, _ in _native.target_flags(target)
    }
