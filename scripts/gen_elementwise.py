"""The reference page of elementwise ops, from Elementwise.def: gen_elementwise.py FILE.def > PAGE.md"""

import re
import sys

TYPES = {
    "Floats": "f32, f16 or bf16, all the same",
    "Widening": "bf16, f16 or fp8 to f32; fp8 to bf16 or f16",
    "Narrowing": "f32, f16 or bf16 to a narrower one, or to fp8",
    "Comparison": "f32, f16 or bf16 to i1",
    "Choice": "i1, then two of f32, f16, bf16, i8, i32 or i64, the same",
    "IntegersToFloats": "i8, i32 or i64 to f32",
    "FloatsToIntegers": "f32, f16 or bf16 to i8, i32 or i64",
    "Integers": "i8, i32 or i64, all the same",
    "Bits": "i1, i8, i32 or i64, all the same",
    "IntegerComparison": "i8, i32 or i64 to i1",
}

rows = re.findall(r'^TE_ELEMENTWISE\("([^"]+)", (\w+), (true|false),\s*"([^"]+)"\)', open(sys.argv[1]).read(), re.M)
print("# Elementwise ops\n")
print("Ops of upstream's `arith` and `math` dialects that te programs may have on tensors of one shape. All have kernels and a reference. "
      "An exact op gives the same bits everywhere;\nthe others are within the bounds of `math` ([spec.md](../spec.md)). Every other one is refused (L1).\n")
print("| op | elements | exact | result |\n| --- | --- | --- | --- |")
for name, types, exact, meaning in rows:
    meaning = meaning.replace("|", "\\|")
    print(f"| `{name}` | {TYPES[types]} | {'yes' if exact == 'true' else ''} | {meaning} |")
