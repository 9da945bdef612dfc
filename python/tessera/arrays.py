"""Arrays as the compiler's tensors: names of element types, and inputs as ports take them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import UsageError

Array = npt.NDArray[Any]

_NUMPY = {
    "bool": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}
# What numpy has no type for, and `ml_dtypes` has.
_ML = {"bf16": "bfloat16"}
_NAMES = {np.dtype(numpy_name): name for name, numpy_name in _NUMPY.items()}


class Port(NamedTuple):
    """An input or an output. A dim of -1 is known only when it runs."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        dims = ",".join("?" if dim < 0 else str(dim) for dim in self.shape)
        return f"{self.name}: {self.dtype}[{dims}]"


def numpy_type(name: str) -> np.dtype[Any]:
    """The numpy type of elements `name`; of bf16 that of `ml_dtypes`, where it is installed, else
    `uint16`, the bits."""
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    if name in _ML:
        try:
            ml_dtypes = importlib.import_module("ml_dtypes")
        except ImportError:
            return np.dtype("uint16")
        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML[name]))
        return found
    return np.dtype("uint8")


def type_name(dtype: np.dtype[Any]) -> str | None:
    """The compiler's name of a numpy type; none where it has no such elements."""
    if dtype in _NAMES:
        return _NAMES[dtype]
    for name, ml_name in _ML.items():
        if dtype.name == ml_name:
            return name
    return None


def array_of(value: object, what: str = "an array") -> Array:
    """An array, of anything that speaks DLPack without a copy. `what`: for messages."""
    if isinstance(value, np.ndarray):
        if _is_masked(value):
            raise UsageError(f"{what} is masked in part: fill it (`.filled(...)`)")
        return value
    if not hasattr(value, "__dlpack__"):
        return _read(value, what)
    detached = value.detach() if hasattr(value, "detach") else value
    if getattr(detached, "device", None) is not None and hasattr(detached, "cpu"):
        detached = detached.cpu()
    try:
        if str(getattr(detached, "dtype", "")) == "torch.bfloat16":
            # numpy's DLPack has no such elements; their bits it has.
            bits = np.from_dlpack(detached.view(importlib.import_module("torch").int16))
            return bits.view(numpy_type("bf16"))
        return np.from_dlpack(detached)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise UsageError(f"{what} cannot be read: {error}") from error


def _is_masked(array: Array) -> bool:
    mask: object = getattr(array, "mask", None)
    return mask is not None and bool(np.any(np.asarray(mask)))


def _read(value: object, what: str) -> Array:
    """What numpy makes of numbers and lists of them."""
    try:
        array = np.asarray(value)
    except (OverflowError, TypeError, ValueError) as error:
        raise UsageError(f"{what} is no array of numbers: {error}") from error
    if array.dtype.kind not in "biuf":
        raise UsageError(f"{what} is no array of numbers, but of {array.dtype}")
    return array


def _converted(array: Array, port: Port, wanted: np.dtype[Any]) -> Array:
    """Numbers as elements of the port; none becomes another one but by rounding to a float."""
    if array.size == 0 or wanted.kind not in "biu":
        return array.astype(wanted)
    if array.dtype.kind == "f":
        raise UsageError(
            f"input `{port.name}` takes {port.dtype}, and was given numbers that are not whole by "
            f"their type ({array.dtype})"
        )
    low, high = (
        (0, 1)
        if wanted.kind == "b"
        else (np.iinfo(wanted).min, np.iinfo(wanted).max)
    )
    for number in (int(array.min()), int(array.max())):
        if not low <= number <= high:
            raise UsageError(
                f"input `{port.name}` takes {port.dtype}, and was given {number}"
            )
    return array.astype(wanted)


#: A tensor as the module in C++ has it: bytes, shape, and the name of the elements' type.
Lent = tuple[Any, tuple[int, ...], str]


def lent(array: Array, name: str) -> Lent:
    """The array's own bytes, if it is contiguous, else those of a copy."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.uint8), array.shape, name


def taken(tensor: Lent) -> Array:
    """An array over the tensor's bytes."""
    data, shape, name = tensor
    if 0 in shape:
        return np.empty(shape, numpy_type(name))
    return np.frombuffer(data, numpy_type(name)).reshape(shape)


def as_input(value: object, port: Port) -> Lent:
    """What goes into `port`.

    Numbers and lists become of the port's type; an array must have it."""
    wanted = numpy_type(port.dtype)
    given = isinstance(value, np.ndarray) or hasattr(value, "__dlpack__")
    array = array_of(value, f"input `{port.name}`")
    if not given:
        array = _converted(array, port, wanted)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype != wanted:
        raise UsageError(
            f"input `{port.name}` takes {port.dtype} ({wanted}), and was given {array.dtype}; "
            f"convert it: `.astype('{wanted}')`"
        )
    fits = array.ndim == len(port.shape) and all(
        dim < 0 or dim == size for dim, size in zip(port.shape, array.shape)
    )
    if not fits:
        raise UsageError(
            f"input `{port}` was given an array of shape {list(array.shape)}"
        )
    return lent(array, port.dtype)


def as_inputs(
    ports: Sequence[Port], positional: Sequence[object], named: Mapping[str, object]
) -> list[Lent]:
    """The inputs of a call in the order of the ports. One mapping stands for names."""
    if len(positional) == 1 and not named and isinstance(positional[0], Mapping):
        named = positional[0]
        positional = ()
    if len(positional) > len(ports):
        raise UsageError(
            f"{len(positional)} inputs were given, and there are {len(ports)}: "
            + ", ".join(map(str, ports))
        )
    values: dict[str, object] = {
        port.name: value for port, value in zip(ports, positional)
    }
    known = {port.name for port in ports}
    for name, value in named.items():
        if name not in known:
            raise UsageError(
                f"there is no input `{name}`, but " + ", ".join(map(str, ports))
            )
        if name in values:
            raise UsageError(f"input `{name}` was given twice")
        values[name] = value
    missing = [str(port) for port in ports if port.name not in values]
    if missing:
        raise UsageError("no value was given for " + ", ".join(missing))
    return [as_input(values[port.name], port) for port in ports]


def bound(values: Mapping[str, object]) -> dict[str, Lent]:
    """Constants that inputs of a model become: copies, since who gave them may write over them."""
    result = {}
    for name, value in values.items():
        array = array_of(value, f"bind: `{name}`")
        array = np.array(array, dtype=array.dtype.newbyteorder("="), copy=True)
        type_ = type_name(array.dtype)
        if type_ is None:
            raise UsageError(
                f"bind: `{name}` has elements of {array.dtype}, which no tensor has"
            )
        result[name] = lent(array, type_)
    return result
