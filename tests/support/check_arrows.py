#!/usr/bin/env python3
"""Reads the #include lines of the sources and fails on an arrow that points back, or a file that is too long.

    check_arrows.py ROOT

Arrows: app -> ui -> engine -> shaders; inside the engine from a room only to rooms listed before it. Rooms that know no
Vulkan must not reach engine/vulkan, directly or through other headers.
"""
import re
import sys
from pathlib import Path

ROOMS = ["base", "gguf", "text", "phase", "cost", "vulkan", "kernels", "model", "reference", "session", "documents",
         "evaluate"]
WITHOUT_VULKAN = {"base", "gguf", "text", "phase", "cost", "reference", "documents"}
LAYERS = ["shaders", "engine", "ui", "app"]
MOST_LINES = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def layer(path):
    return path.split("/")[0]


def room(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "engine" and len(parts) > 2 else None


def faults_of_arrow(source, target):
    if layer(target) not in LAYERS:
        return None
    if LAYERS.index(layer(target)) > LAYERS.index(layer(source)):
        return f"{layer(source)} must not include {layer(target)}"
    if room(source) and room(target) and ROOMS.index(room(target)) > ROOMS.index(room(source)):
        return f"engine/{room(source)} must not include engine/{room(target)}"
    return None


def reaches_vulkan(path, includes, seen):
    if room(path) == "vulkan":
        return True
    if path in seen:
        return False
    seen.add(path)
    return any(reaches_vulkan(target, includes, seen) for target in includes.get(path, []))


def main():
    root = Path(sys.argv[1])
    files = [f for folder in LAYERS for f in (root / folder).rglob("*") if f.suffix in (".hpp", ".cpp", ".comp", ".glsl")]
    includes, faults = {}, []
    for file in files:
        name = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        if text.count("\n") > MOST_LINES:
            faults.append(f"{name}: has more than {MOST_LINES} lines")
        includes[name] = INCLUDE.findall(text)
        for target in includes[name]:
            if fault := faults_of_arrow(name, target):
                faults.append(f"{name}: {fault} ({target})")
    for name in includes:
        if room(name) in WITHOUT_VULKAN and reaches_vulkan(name, includes, set()):
            faults.append(f"{name}: reaches engine/vulkan")
    if not files:
        faults.append("no sources found")
    print("\n".join(faults) or f"{len(files)} files, every arrow points one way")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
