"""What the documentation shows is executed: the examples of the page, and the notebook's cells."""

import ast
import json
import logging
import os
import re
import shutil
import traceback
from pathlib import Path

shutil.copy(os.environ["TESSERA_UNET"], "model.onnx")
shutil.copy(os.environ["TESSERA_PT2"], "model.pt2")
shutil.copy(os.environ["TESSERA_UNPADDED"], "unpadded.onnx")
shutil.copy(os.environ["TESSERA_KWS"], "words.onnx")


def execute(source, scope, name):
    """As a notebook does it: the value of a last expression is what the cell displays."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), scope)
    return eval(compile(ast.Expression(last.value), name, "eval"), scope) if last else None


page = Path(os.environ["TESSERA_PAGE"]).read_text()
blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
assert len(blocks) >= 5, len(blocks)
for number, block in enumerate(blocks):
    # Each stands for itself. PyTorch is not here: what shows it says so.
    if "import torch" in block:
        continue
    try:
        execute(block, {"__name__": "example"}, f"example {number}")
    except Exception:
        traceback.print_exc()
        raise SystemExit(f"python.md, example {number}:\n{block}")
logging.getLogger().handlers.clear()

notebook = json.loads(Path(os.environ["TESSERA_NOTEBOOK"]).read_text())
scope = {"__name__": "__main__"}
displayed = 0
for number, cell in enumerate(notebook["cells"]):
    if cell["cell_type"] != "code":
        continue
    value = execute("".join(cell["source"]), scope, f"cell {number}")
    if hasattr(value, "_repr_html_"):
        html = value._repr_html_()
        assert html.startswith("<"), html[:100]
        displayed += 1
assert displayed >= 2, displayed
