#!/usr/bin/env python3
"""Writes random statements about sizes as a table for `prove --statements`, labelled by evaluation.

    python bench/random_statements.py SEED COUNT > statements.tsv

A statement is `invalid` where one of some thousand sizes that its facts admit breaks it. One that is
called `valid` may still be false at a size that was not tried: a refutation names that size.
"""
import random
import re
import sys


def positive(divisor):
    if divisor < 1:
        raise ZeroDivisionError
    return divisor


FUNCTIONS = {
    "floordiv": lambda a, b: a // positive(b),
    "ceildiv": lambda a, b: -((-a) // positive(b)),
    "mod": lambda a, b: a % positive(b),
    "ite": lambda c, a, b: a if c else b,
    "min": min,
    "max": max,
    "abs": abs,
}
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 23, 24, 31, 32, 33, 47, 48, 63, 64,
         65, 96, 97, 127, 128]
R = random.Random()


def number(low=1, high=9):
    return R.randint(low, high)


def linear(symbols):
    a = R.choice(symbols)
    text = f"{number(1, 4)}*{a}" if R.random() < .5 else a
    if R.random() < .4 and len(symbols) > 1:
        text += f" {R.choice('+-')} {R.choice(symbols)}"
    if R.random() < .6:
        text += f" {R.choice('+-')} {number()}"
    return text


def term(symbols, depth):
    if depth == 0:
        return f"({linear(symbols)})"
    t = term(symbols, depth - 1)
    return [
        lambda: f"floordiv({t}, {number(2, 12)})",
        lambda: f"ceildiv({t}, {number(2, 12)})",
        lambda: f"mod({t}, {number(2, 12)})",
        lambda: f"min({t}, {term(symbols, depth - 1)})",
        lambda: f"max({t}, {term(symbols, depth - 1)})",
        lambda: f"({t} + {term(symbols, depth - 1)})",
        lambda: f"({t} - {term(symbols, depth - 1)})",
        lambda: f"({number(2, 4)}*{t})",
    ][R.randrange(8)]()


def identity(symbols):
    """One that holds, but for what a divisor or a sign may do to it."""
    a, b = term(symbols, R.choice([0, 0, 1])), term(symbols, 0)
    n, m = number(2, 16), number(2, 9)

    def stride():
        q = R.choice([2, 4, 8, 16, 32])
        return f"mod({q}*ceildiv({a}, {q}), {max(2, q // R.choice([1, 2]))}) == 0"

    def by_symbol():
        x = R.choice(symbols)
        return f"floordiv({x}*{n}*{m}, {x}*{n}) == {m}"

    return [
        lambda: f"floordiv({n}*{a} + {number(0, n - 1)}, {n}) == {a}",
        lambda: f"mod({a} + mod({n} - mod({a}, {n}), {n}), {n}) == 0",
        lambda: f"floordiv(floordiv({a}, {n}), {m}) == floordiv({a}, {n * m})",
        lambda: f"ceildiv(ceildiv({a}, {n}), {m}) == ceildiv({a}, {n * m})",
        lambda: f"{n}*ceildiv({a}, {n}) >= {a}",
        lambda: f"{n}*floordiv({a}, {n}) + mod({a}, {n}) == {a}",
        lambda: f"ceildiv({a}, {n}) == floordiv({a} + {n - 1}, {n})",
        lambda: f"max({a}, {b}) + min({a}, {b}) == {a} + {b}",
        lambda: f"min({a}, {b}) <= max({a}, {b})",
        stride,
        lambda: f"floordiv({a} + {n}*{b}, {n}) == floordiv({a}, {n}) + {b}",
        lambda: f"{a} - min({a}, {b}) == max({a} - {b}, 0)",
        lambda: f"abs({a}) >= {a}",
        lambda: f"floordiv({a}, {n}) <= floordiv({a} + {number(0, 5)}, {n})",
        lambda: f"mod({a}, {n}) <= {n - 1} && mod({a}, {n}) >= 0",
        lambda: f"ite({a} >= {b}, {a}, {b}) == max({a}, {b})",
        by_symbol,
        lambda: f"mod({a}, {n * m}) >= mod({a}, {n})",
    ][R.randrange(18)]()


def changed(text):
    numbers = list(re.finditer(r"\b\d+\b", text))
    if not numbers:
        return text
    one = R.choice(numbers)
    value = max(1, int(one.group()) + R.choice([-2, -1, 1, 2]))
    text = text[:one.start()] + str(value) + text[one.end():]
    return text.replace(" == ", " >= ") if R.random() < .2 else text


def claim_of(symbols):
    kind = R.random()
    if kind < .5:
        return identity(symbols)
    if kind < .8:
        return changed(identity(symbols))
    relation = R.choice([">=", "<=", "=="])
    return f"{term(symbols, 2)} {relation} {term(symbols, R.choice([1, 2]))}"


def facts_of(symbols):
    facts = [f"{s} >= 1" for s in symbols]
    if R.random() < .3:
        facts.append(f"mod({R.choice(symbols)}, {R.choice([2, 3, 4, 8])}) == 0")
    if R.random() < .2:
        facts.append(f"{R.choice(symbols)} >= {number(2, 40)}")
    if R.random() < .1 and len(symbols) > 1:
        facts.append(f"{symbols[0]} >= {symbols[1]}")
    return facts


def assignments(symbols):
    for _ in range(1500):
        yield {s: R.choice(SIZES) if R.random() < .8 else R.randint(1, 100000) for s in symbols}
    if len(symbols) == 1:
        for value in range(1, 2200):
            yield {symbols[0]: value}


def compiled(text):
    return compile(text.replace("&&", " and ").replace("||", " or "), "", "eval")


def label_of(symbols, facts, claim):
    """None: too few sizes that the facts admit were tried."""
    facts, claim = [compiled(f) for f in facts], compiled(claim)
    tried = 0
    for sizes in assignments(symbols):
        values = {**FUNCTIONS, **sizes}
        if not all(eval(f, values) for f in facts):
            continue
        tried += 1
        try:
            if not eval(claim, values):
                return "invalid"
        except ZeroDivisionError:
            return "invalid"
    return "valid" if tried >= 20 else None


def main():
    R.seed(int(sys.argv[1]))
    written = 0
    while written < int(sys.argv[2]):
        symbols = R.sample(["H", "W", "N"], R.choice([1, 1, 2, 2, 3]))
        facts, claim = facts_of(symbols), claim_of(symbols)
        label = label_of(symbols, facts, claim)
        if label is None:
            continue
        print("random", f"s{written}", ";".join(facts), claim, label, sep="\t")
        written += 1


if __name__ == "__main__":
    main()
