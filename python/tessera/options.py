"""What several functions take: models, sizes, flags of targets."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Union, runtime_checkable

from .arrays import bound
from .errors import Error, UsageError


@runtime_checkable
class Serializable(Protocol):
    """A message of Protocol Buffers, as `onnx.ModelProto` is."""

    def SerializeToString(self) -> bytes: ...


#: A path, a model's bytes, or an `onnx.ModelProto`.
Model = Union[str, "os.PathLike[str]", bytes, Serializable]

#: `{'H': '1..4096', 'W%8': 0, 'N': 1, 'T': (1, 128)}`, texts such as `'H=1..4096'`, or `'auto'`.
Dims = Union[
    str,
    Sequence[str],
    Mapping[str, Union[int, str, "tuple[int, int | None]"]],
    None,
]

#: A flag of a target: its value, several, or whether it is set.
FlagValue = Union[str, int, float, bool, "os.PathLike[str]", Sequence[str]]


def dim_texts(dims: Dims) -> list[str]:
    """As on a command line: `H=1..4096`."""
    if dims is None:
        return []
    if isinstance(dims, str):
        return [dims]
    if not isinstance(dims, Mapping):
        return [str(text) for text in dims]
    texts = []
    for name, value in dims.items():
        if isinstance(value, tuple):
            if len(value) != 2:
                raise UsageError(
                    f"dims: `{name}` is a pair (least, largest), not {value!r}"
                )
            low, high = value
            value = f"{low}.." if high is None else f"{low}..{high}"
        texts.append(f"{name}={value}")
    return texts


def import_options(
    dims: Dims = None,
    bind: Mapping[str, object] | None = None,
    strict_dims: bool = False,
    strict_opset: bool = False,
    readings: Sequence[str] = (),
    max_unroll: int | None = None,
) -> dict[str, Any]:
    options: dict[str, Any] = {
        "dims": dim_texts(dims),
        "bind": bound(bind or {}),
        "strict_dims": strict_dims,
        "strict_opset": strict_opset,
        "readings": list(readings),
    }
    if max_unroll is not None:
        options["max_unroll"] = max_unroll
    return options


def flag_values(flags: Mapping[str, FlagValue]) -> dict[str, list[str]]:
    """Flags as the target names them: `npu_device` is `npu-device`. What is false is not set."""
    values: dict[str, list[str]] = {}
    for name, value in flags.items():
        if value is False:
            continue
        if value is True:
            texts = ["true"]
        elif isinstance(value, (str, int, float)):
            texts = [str(value)]
        elif isinstance(value, os.PathLike):
            texts = [os.fspath(value)]
        elif isinstance(value, Iterable):
            texts = [str(each) for each in value]
        else:
            raise UsageError(f"`{name}` is a text, a number or several, not {value!r}")
        values[name.replace("_", "-")] = texts
    return values


@contextlib.contextmanager
def model_file(model: Model) -> Iterator[str]:
    """The path of a model; one in memory is written to a folder that goes with the context."""
    if isinstance(model, (str, os.PathLike)):
        yield os.fspath(model)
        return
    if isinstance(model, Serializable):
        data = model.SerializeToString()
    elif isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
    else:
        of_pytorch = hasattr(model, "graph_signature") or hasattr(model, "state_dict")
        raise UsageError(
            f"a model is a path, bytes or an onnx.ModelProto, not {type(model).__name__}"
            + ("; `tessera.convert` takes what is of PyTorch" if of_pytorch else "")
        )
    with model_folder() as folder:
        # The name tells nothing: which format it is says the content.
        path = os.path.join(folder, "model")
        with open(path, "wb") as file:
            file.write(data)
        yield path


@contextlib.contextmanager
def model_folder() -> Iterator[str]:
    """A folder for a model in memory, of which no message speaks."""
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        try:
            yield folder
        except UsageError:
            raise
        except Error as error:
            raise error.without(folder + os.sep) from None


def model_name(model: Model) -> str:
    if isinstance(model, (str, os.PathLike)):
        return os.path.splitext(os.path.basename(os.fspath(model)))[0]
    return "model"
