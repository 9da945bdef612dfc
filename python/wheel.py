"""wheel.py WHEEL VERSION TAG OBJDUMP STRIP PATCHELF PLACE=FILE... lib:NAME=FILE...: packs a wheel.

Of the libraries, those go in that the module or the programs need, whatever it is through. What
needs more of the system than the tag promises (PEP 600) is an error.
"""

import base64
import hashlib
import os
import re
import stat
import subprocess
import sys
import tempfile
import zipfile

# What every system has that the tag names (PEP 600; auditwheel's policies).
SYSTEM = re.compile(r"(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so\.\d+")
# The glibc of the oldest systems whose libstdc++ has GLIBCXX_3.4.N.
GLIBCXX = {28: 31, 29: 34, 30: 35, 31: 38, 32: 38}

METADATA = """\
Metadata-Version: 2.1
Name: tessera
Version: {version}
Summary: Ahead-of-time compiler of neural networks, with proofs of their shapes
License-File: copyright
Requires-Python: ==3.11.*
Requires-Dist: numpy>=1.22
Provides-Extra: torch
Requires-Dist: torch>=2.5; extra == "torch"
Description-Content-Type: text/markdown

Compiles networks of ONNX and PyTorch for phones, NPUs and GPUs.

```python
import tessera

artifact = tessera.compile("model.onnx", dims={{"H": "1..4096", "W%8": 0}})
artifact.save("model." + artifact.suffix)
print(artifact.certificate.summary())
```
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: tessera
Root-Is-Purelib: false
Tag: {tag}
"""


def needed(objdump, path):
    text = subprocess.run([objdump, "-p", path], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^\s*NEEDED\s+(\S+)$", text, re.MULTILINE)


def finds_libraries(objdump, path):
    """Whether a file says where its libraries are."""
    text = subprocess.run([objdump, "-p", path], check=True, capture_output=True, text=True).stdout
    return re.search(r"^\s*(RPATH|RUNPATH)\s", text, re.MULTILINE) is not None


def system_version(objdump, path):
    """The glibc that a file needs, directly or through its libstdc++: the number behind `2.`."""
    text = subprocess.run([objdump, "-p", path], check=True, capture_output=True, text=True).stdout
    versions = [int(n) for n in re.findall(r"\bGLIBC_2\.(\d+)", text)]
    versions += [
        GLIBCXX.get(n, 999) if n > 27 else 0
        for n in map(int, re.findall(r"\bGLIBCXX_3\.4\.(\d+)", text))
    ]
    return max(versions, default=0)


def main(wheel, version, tag, objdump, strip, patchelf, *pairs):
    places, libraries = {}, {}
    for pair in pairs:
        place, _, path = pair.partition("=")
        if place.startswith("lib:"):
            libraries[place[4:]] = path
        else:
            places[place] = path
    licence = places.pop("licence")
    programs = [p for p in places if p.endswith(".so") or p.startswith("tessera/bin/")]
    asked = [name for place in programs for name in needed(objdump, places[place])]
    while asked:
        name = asked.pop()
        place = f"tessera/lib/{name}"
        if place in places or SYSTEM.fullmatch(name):
            continue
        if name not in libraries:
            sys.exit(f"wheel.py: no library `{name}` is at hand")
        places[place] = libraries[name]
        asked += needed(objdump, libraries[name])
    promised = int(re.search(r"manylinux_2_(\d+)_", tag).group(1))
    for place, path in sorted(places.items()):
        if place in programs or place.startswith("tessera/lib/"):
            if system_version(objdump, path) > promised:
                sys.exit(f"wheel.py: `{place}` needs glibc 2.{system_version(objdump, path)}, not `{tag}`")

    info = f"tessera-{version}.dist-info"
    contents = {}
    with tempfile.TemporaryDirectory() as folder:
        for place, path in places.items():
            if place.endswith(".so"):
                # No symbols but those of the dynamic linker.
                stripped = os.path.join(folder, "stripped")
                subprocess.run([strip, "--strip-all", "-o", stripped, path], check=True)
                path = stripped
            elif place in programs and not finds_libraries(objdump, path):
                # In the older form, which counts for the libraries of its libraries too.
                found = os.path.join(folder, "found")
                where = ["--force-rpath", "--set-rpath", "$ORIGIN/../lib", "--output", found]
                subprocess.run([patchelf, *where, path], check=True)
                path = found
            with open(path, "rb") as file:
                contents[place] = file.read()
    with open(licence, "rb") as file:
        contents[f"{info}/licenses/copyright"] = file.read()
    contents[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    contents[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    contents[f"{info}/entry_points.txt"] = b"[console_scripts]\ntessera = tessera.__main__:main\n"
    record = []
    for place in sorted(contents):
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents[place]).digest()).rstrip(b"=").decode()
        record.append(f"{place},sha256={digest},{len(contents[place])}\n")
    record.append(f"{info}/RECORD,,\n")
    contents[f"{info}/RECORD"] = "".join(record).encode()

    # Neither times nor modes of this machine. The record comes last, as PEP 427 wants it.
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for place in sorted(contents, key=lambda p: (p.startswith(info), p.endswith("RECORD"), p)):
            entry = zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            mode = 0o755 if place.startswith("tessera/bin/") else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, contents[place])


main(*sys.argv[1:])
