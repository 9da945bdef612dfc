"""Certificates: what was proved of a network's shapes."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Obligation:
    """A statement over sizes that the network, or a lowering, requires."""

    constraint: str
    node: str
    op: str
    stage: str
    message: str
    statement: str
    proved: bool  # for all sizes; otherwise the artifact checks it when it runs


@dataclass(frozen=True)
class Symbol:
    """A size that is known only when the network runs; absent bounds are open."""

    name: str
    origin: str
    low: int | None
    high: int | None
    stride: int
    residue: int

    def __str__(self) -> str:
        low = "" if self.low is None else str(self.low)
        high = "" if self.high is None else str(self.high)
        text = f"{self.name} in {low}..{high}"
        if self.stride > 1:
            text += f", {self.name} % {self.stride} == {self.residue}"
        return text


class Certificate:
    """What is beside an artifact in `ARTIFACT.cert.json` (docs/certificate.md)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._json: dict[str, Any] = json.loads(text)

    @property
    def json(self) -> dict[str, Any]:
        """The whole of it."""
        return self._json

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(
            Symbol(
                each["name"],
                each["origin"],
                each.get("lo"),
                each.get("hi"),
                each["stride"],
                each["residue"],
            )
            for each in self._json["symbols"]
        )

    @property
    def facts(self) -> tuple[str, ...]:
        """What is assumed of the symbols beyond that."""
        return tuple(each["statement"] for each in self._json["facts"])

    @property
    def options(self) -> tuple[str, ...]:
        """What was stated and assumed, as on a command line."""
        return tuple(self._json["options"])

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        return tuple(
            Obligation(
                each["id"],
                each["node"],
                each["op"],
                each["stage"],
                each["message"],
                each["statement"],
                each["verdict"] == "proved",
            )
            for each in self._json["obligations"]
        )

    def summary(self) -> str:
        """A few lines for people."""
        obligations = self.obligations
        proved = sum(each.proved for each in obligations)
        lines = [
            f"certificate of {self._json['model']['file']}: {proved} statements proved for all "
            f"sizes, {len(obligations) - proved} checked when it runs"
        ]
        lines += [f"  {symbol} ({symbol.origin})" for symbol in self.symbols]
        lines += [f"  assumed: {fact}" for fact in self.facts]
        lines += [
            f"  checked when it runs: {each.node}: {each.statement}"
            for each in obligations
            if not each.proved
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{self.summary().splitlines()[0]}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td>{html.escape(cell)}</td>"
                for cell in (
                    each.node,
                    each.constraint,
                    each.statement,
                    "proved" if each.proved else "checked when it runs",
                )
            )
            + "</tr>"
            for each in self.obligations
        )
        return (
            f"<details><summary>{html.escape(self.summary().splitlines()[0])}</summary>"
            f"<pre>{html.escape(self.summary())}</pre>"
            "<table><tr><th>node</th><th>constraint</th><th>statement</th><th>verdict</th></tr>"
            f"{rows}</table></details>"
        )
