"""What is raised when something is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NODE = re.compile(r"node `([^`]*)`")
_CONSTRAINT = re.compile(r"constraint `([^`]*)`")
# What mends the whole model, where that is known.
_DIMS = re.compile(r"shapes are right with `((?:--dim [^\s`]+ ?)+)`")


@dataclass(frozen=True)
class Problem:
    """One of the things that are wrong with a model: a line of the error's message."""

    message: str
    node: str | None
    constraint: str | None


class Error(Exception):
    """Refused: a model, an artifact, an option, a file.

    `kind` is one of `invalid_argument` (wrong), `unimplemented` (not supported), `not_found`,
    `failed_precondition`, `resource_exhausted`, `internal` (a bug of ours) and the other names of
    absl::StatusCode. `node` is the first node of the model that is named, `constraint` the rule that
    it broke, `remedy` what could be declared of the sizes so that it holds, as `dims` takes it.
    `problems` has one entry for each thing that is wrong.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "invalid_argument",
        node: str | None = None,
        constraint: str | None = None,
        remedy: Sequence[str] = (),
        problems: Sequence[Problem] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.node = node
        self.constraint = constraint
        self.remedy = tuple(remedy)
        self.problems = tuple(problems) or (Problem(message, node, constraint),)

    def without(self, text: str) -> Error:
        """The same, of a message that says this text nowhere."""
        told = _rebuilt(
            self.message.replace(text, ""),
            self.kind,
            self.node,
            self.constraint,
            self.remedy,
            [
                Problem(each.message.replace(text, ""), each.node, each.constraint)
                for each in self.problems
            ],
        )
        return told.with_traceback(self.__traceback__)

    def __reduce__(self) -> tuple[object, ...]:
        return (
            _rebuilt,
            (
                self.message,
                self.kind,
                self.node,
                self.constraint,
                self.remedy,
                self.problems,
            ),
        )


class UsageError(Error, ValueError):
    """An argument that a function of this package does not take."""


def _rebuilt(
    message: str,
    kind: str,
    node: str | None,
    constraint: str | None,
    remedy: Sequence[str],
    problems: Sequence[Problem],
) -> Error:
    return Error(
        message,
        kind=kind,
        node=node,
        constraint=constraint,
        remedy=remedy,
        problems=problems,
    )


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found.group(1) if found else None


def refusal(kind: str, message: str, constraint: str, remedy: Sequence[str]) -> Error:
    """An `Error` of what the compiler says: a line for each problem, pictures indented below."""
    message = message.rstrip("\n")
    lines = [line for line in message.split("\n") if line and not line.startswith(" ")]
    problems = [
        Problem(line, _first(_NODE, line), _first(_CONSTRAINT, line)) for line in lines
    ]
    nodes = [problem.node for problem in problems if problem.node is not None]
    constraints = [p.constraint for p in problems if p.constraint is not None]
    said = _first(_DIMS, message)
    return Error(
        message,
        kind=kind,
        node=nodes[0] if nodes else None,
        constraint=constraint or (constraints[0] if constraints else None),
        remedy=said.replace("--dim ", "").split() if said else remedy,
        problems=problems,
    )
