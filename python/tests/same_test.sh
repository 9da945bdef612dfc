#!/bin/bash
# same_test.sh ONE OTHER: two wheels that were packed apart are the same bytes, and their record is
# of what is in them.
set -euo pipefail
cmp "$1" "$2"
/usr/bin/python3.11 -I - "$1" <<'END'
import base64, csv, hashlib, sys, zipfile

archive = zipfile.ZipFile(sys.argv[1])
names = archive.namelist()
assert len(names) == len(set(names))
(record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
rows = list(csv.reader(archive.read(record).decode().splitlines()))
assert sorted(row[0] for row in rows) == sorted(names)
for name, digest, size in rows:
    if name == record:
        continue
    data = archive.read(name)
    wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert digest == "sha256=" + wanted and int(size) == len(data), name
assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
wheel = archive.read(record.replace("RECORD", "WHEEL")).decode()
assert "Tag: " + sys.argv[1].rsplit("/", 1)[-1][len("tessera-0.1.0-"):-len(".whl")] + "\n" in wheel
END
