"""Reads the file of GgufWriter.PythonPackageAgrees with the Python package gguf and checks values and blocks."""
import sys

import gguf
import numpy as np
from gguf.quants import dequantize

EXPECTED = {
    "general.architecture": "test", "u8": 255, "i8": -128, "u16": 65535, "i16": -32768, "u32": 4294967295,
    "i32": -2147483647, "f32": float(np.float32(0.1)), "bool": True, "string": "caf\u00e9 \U0001f43a",
    "u64": 2**64 - 1, "i64": -2**63, "f64": 0.1, "array.u8": [1, 2], "array.i8": [-1], "array.u16": [1],
    "array.i16": [-1], "array.u32": [1, 2, 3], "array.i32": [-1], "array.f32": [1.5],
    "array.bool": [True, False, True], "array.string": ["a", "", "\u0120t"], "array.u64": [2**64 - 1],
    "array.i64": [-5], "array.f64": [2.5, -2.5],
}


def main(path):
    reader = gguf.GGUFReader(path)
    for key, expected in EXPECTED.items():
        found = reader.fields[key].contents()
        assert found == expected, f"{key}: {found} instead of {expected}"
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    formats = [name for name in tensors if not name.endswith(".expected")]
    assert len(formats) == 11, formats
    for name in formats:
        tensor = tensors[name]
        assert tensor.tensor_type.name == name and list(tensor.shape) == [512, 3], name
        values = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        expected = tensors[name + ".expected"].data
        assert values.shape == expected.shape, name
        assert values.tobytes() == expected.tobytes(), f"{name}: values differ"


main(sys.argv[1])
