"""The package's types, and those of the examples: `mypy --strict`, as users would run it."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import tessera

package = Path(tessera.__file__).parent
folder = Path(tempfile.mkdtemp())
checked = ["-p", "tessera"]
subprocess.run(
    [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), *checked],
    check=True,
)
assert (package / "py.typed").exists()

# Every example of the page.
# PyTorch is not here: whatever it has.
(folder / "stubs").mkdir()
(folder / "stubs/torch.pyi").write_text(
    "from typing import Any\ndef __getattr__(name: str) -> Any: ...\n"
)
os.environ["MYPYPATH"] = str(folder / "stubs")
blocks = re.findall(r"^```python\n(.*?)^```$", Path(os.environ["TESSERA_PAGE"]).read_text(), re.M | re.S)
assert blocks
for number, block in enumerate(blocks):
    (folder / f"example_{number}.py").write_text(block)
examples = [str(folder / f"example_{number}.py") for number in range(len(blocks))]
subprocess.run(
    [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), *examples],
    check=True,
)

# What must not pass.
wrong = folder / "wrong.py"
wrong.write_text(
    "import tessera\n"
    "tessera.compile('m.onnx', dims={'H': 1.5})\n"
    "tessera.compile('m.onnx').save(3)\n"
    "tessera.load('m').certificate.summary()\n"  # it may have none
)
result = subprocess.run(
    [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), str(wrong)],
    capture_output=True,
    text=True,
)
assert [int(line) for line in re.findall(r"wrong.py:(\d+): error", result.stdout)] == [2, 3, 4], result.stdout
