"""The command `tessera`: the program that comes along."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tessera")
    os.execv(program, ["tessera", *sys.argv[1:]])


if __name__ == "__main__":
    main()
