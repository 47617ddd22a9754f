"""te_mlir/ops.py, a function an op, from ODS and Elementwise.def: gen_python_ops.py [--check] python/te_mlir/ops.py

Operands, attributes, defaults and descriptions are ODS's; RESULTS says what ODS does not: the shapes and element types of results.
--check writes nothing and fails where the file is stale.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LLVM = Path("/usr/lib/llvm-22")
ROOT = Path(__file__).resolve().parent.parent
WIDTH = 140

# These have a region: _regions.py.
WITHOUT = {"fusion", "yield"}
# A pass makes this, not programs: its sizes follow from nothing.
WITHOUT_RESULTS = {("gemm", "rest")}

USED_ENUMS = ["TE_ActivationKindAttr", "TE_GatedKindAttr", "TE_SequenceFormatAttr", "TE_AttentionFormatAttr", "TE_AmaxAlgorithmAttr"]
PREDICATES = {"Comparison": "FloatPredicate", "IntegerComparison": "IntegerPredicate"}  # as HEADER has them


@dataclass
class Result:
    """``dtype``: an operand whose element type is the default, "=OPERAND" where it must be that, "" where it must be given, and otherwise
    Python."""

    shape: str
    dtype: str = '"f32"'


ROWS, COLUMNS, PRODUCT = "input.shape[:-1]", "input.shape[-1:]", "_shapes.product(a, b, transpose_a, transpose_b, split_k)"
RESULTS: dict[str, dict[str, Result]] = {
    "activation": {"result": Result("input.shape", "input")},
    "activation_bwd": {"dx": Result("input.shape", "input"), "dbias": Result(COLUMNS, "input"), "dscale": Result(ROWS)},
    "amax": {"result": Result("()")},
    "attention": {"result": Result("_shapes.attended(q, v)", "q"), "lse": Result("_shapes.log_sums(q, format)")},
    "bias_add": {"result": Result("input.shape", "=input")},
    "bias_grad": {"result": Result(COLUMNS, "input")},
    "copy": {"result": Result("input.shape", "=input")},
    "dequantize": {"result": Result("input.shape", "")},
    "full_like": {"result": Result("input.shape", "=input")},
    "gated_activation": {"result": Result("_shapes.half(input)", "input")},
    "gated_activation_bwd": {"dx": Result("input.shape", "input"), "dbias": Result(COLUMNS, "input"), "dscale": Result(ROWS)},
    "gemm": {"result": Result(PRODUCT, "a"), "aux": Result(PRODUCT, "result"), "bias_grad": Result("_shapes.summed(a)", "a")},
    "gemm_sum": {"result": Result("partials.shape[1:]", "partials"), "aux": Result("partials.shape[1:]", "result")},
    "layer_norm": {"result": Result("input.shape", "input"), "mu": Result(ROWS), "rsigma": Result(ROWS)},
    "layer_norm_bwd": {"dx": Result("input.shape", "input"), "dgamma": Result("gamma.shape", "gamma"),
                       "dbeta": Result("gamma.shape", "gamma")},
    "permute": {"result": Result("_shapes.permuted(input, permutation)", "=input")},
    "relayout": {"result": Result("input.shape", 'op.scheme("scheme", scheme)')},
    "rms_norm": {"result": Result("input.shape", "input"), "rsigma": Result(ROWS)},
    "rms_norm_bwd": {"dx": Result("input.shape", "input"), "dgamma": Result("gamma.shape", "gamma")},
    "rope": {"result": Result("input.shape", "input")},
    "rope_bwd": {"result": Result("input.shape", "input")},
    "softmax": {"result": Result("input.shape", "input")},
    "softmax_bwd": {"dx": Result("grad.shape", "grad")},
    "transpose": {"result": Result("input.shape", '_shapes.other_copy(input) if scheme is None else op.scheme("scheme", scheme)')},
    "update_scale": {"new_history": Result("history.shape"), "new_scale": Result("scale.shape"), "scale_inv": Result("scale.shape")},
}


@dataclass
class Parameter:
    name: str
    annotation: str
    default: str | None = None
    doc: str = ""
    is_keyword: bool = False
    present: str | None = None  # its type where it asks for another result

    def declare(self, is_present: bool | None = None) -> str:
        """With ``is_present`` as an overload has it."""
        if self.present and is_present is not None:
            absent = "Literal[False] = False" if self.annotation == "bool" else "None = None"
            return f"{self.name}: {self.present if is_present else absent}"
        return f"{self.name}: {self.annotation}" + (f" = {self.default}" if self.default is not None else "")


# Parameters that no operand or attribute is, behind these of ODS that are required.
SCHEME = Parameter("scheme", "Scaled", None, "what te.scaled(...) makes: the result's element type and scheme")
EXTRA: dict[str, list[Parameter]] = {
    "quantize": [Parameter("scheme", "Scaled", None, "what te.scaled(...) makes: the first result's element type and scheme"),
                 Parameter("other", "Scaled | None", "None", "that of a second, columnwise result", present="Scaled"),
                 Parameter("with_amax", "bool", "False", "asks for a last result: the amax of the input", True, "Literal[True]")],
    "relayout": [SCHEME],
    "transpose": [Parameter("scheme", "Scaled | None", "None", "the result's; without, the input's with transposed data, or with linear "
                                                               "data where the input's are transposed")],
}

# Of ops with as many results as are asked for: Python that adds them, and what is returned.
VARIADIC = {
    "quantize": (["op.result(input.shape, op.scheme(\"scheme\", scheme))", "if other is not None:",
                  "    op.result(input.shape, op.scheme(\"other\", other))", 'if op.asked("with_amax", with_amax):', "    op.result((), \"f32\")"],
                 "the quantized tensors; then, if asked for, the amax, f32[]"),
    "partial_amax": (["for whole in of:", "    op.result(_shapes.blocks(whole), \"f32\")"], "a tensor for each type: f32, a number a block"),
    "partial_cast": (["for whole in of:", "    op.result(shard.shape, _shapes.codes(whole))"], "a tensor for each type: codes, shape shard.shape"),
}

CATEGORIES = {  # types in Elementwise.def: operands, and the result (as gen_elementwise.py's)
    "Floats": ("f32, f16 or bf16", "like the operands"), "Widening": ("bf16, f16 or fp8", "wider: f32; of fp8 bf16 or f16, too"),
    "Narrowing": ("f32, f16 or bf16", "narrower, or fp8"), "Comparison": ("f32, f16 or bf16", "i1"),
    "Choice": ("i1, then two of f32, f16, bf16, i8, i32 or i64", "like b and c"), "IntegersToFloats": ("i8, i32 or i64", "f32"),
    "FloatsToIntegers": ("f32, f16 or bf16", "i8, i32 or i64"), "Integers": ("i8, i32 or i64", "like the operands"),
    "Bits": ("i1, i8, i32 or i64", "like the operands"), "IntegerComparison": ("i8, i32 or i64", "i1"),
}

HEADER = '''"""Ops of the te language, a function each: they put an op into the function that ``te_mlir.function`` builds.

Operands are values of that function (``te.Tensor``), or NumPy arrays, which become constants; those of elementwise ops may be numbers, too.
Results are tensors of shapes that follow from the operands. Each function raises TypeError for what is no op at all, and the finished
function CompileError where it breaks a rule of docs/spec.md ("N1"), with the place in Python.

Made by scripts/gen_python_ops.py: change ODS or that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args, overload

from . import _shapes
from ._builder import Number, Op, Operand, Tensor, elementwise
from ._regions import fusion
from ._sizes import Size
from ._tensor_ops import cast, concat, constant, insert, reshape, with_shape
from ._types import DType, Scaled, TensorType, check_dtype

# Names that ops take.
ENUMS
FloatPredicate = Literal["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"]
IntegerPredicate = Literal["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
'''


def dump(file: str) -> dict[str, Any]:
    command = [str(LLVM / "bin/llvm-tblgen"), "--dump-json", "-I", "include", "-I", str(LLVM / "include"), file]
    records: dict[str, Any] = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    return records


def wrap(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def signature(name: str, parameters: list[Parameter], returns: str, present: set[str] | None = None) -> list[str]:
    """The lines of a def, as an overload where ``present`` says which results are asked for."""
    words: list[str] = []
    for parameter in parameters:
        if parameter.is_keyword and "*" not in words:
            words.append("*")
        words.append(parameter.declare(None if present is None else parameter.name in present))
    # A parameter without a default stands behind one that has one only where it is a keyword.
    lines, line = [], f"def {name}("
    indent = " " * len(line)
    for i, word in enumerate(words):
        word += f") -> {returns}:" if i + 1 == len(words) else ", "
        if len(line + word.rstrip()) > WIDTH:
            lines.append(line.rstrip())
            line = indent
        line += word
    lines.append(line)
    if present is not None:
        lines[-1] += " ..."
        lines.insert(0, "@overload")
    return lines


def docstring(summary: str, description: str, sections: list[tuple[str, list[tuple[str, str]]]]) -> list[str]:
    lines = [f"{summary}."]
    if body := textwrap.dedent(description.strip("\n")).strip():
        lines += ["", *body.split("\n")]
    for title, entries in sections:
        lines += ["", f"{title}:"]
        for name, text in entries:
            lines += wrap(f"{name}: {text}" if name else text, "    ", "        ")
    quotes = 'r"""' if "\\" in "".join(lines) else '"""'
    lines[0] = quotes + lines[0]
    lines.append('"""')
    return [f"    {line}".rstrip() for line in lines]


class Definitions:
    """ODS of the te dialect."""

    def __init__(self, records: dict[str, Any]):
        self.records = records

    def resolve(self, reference: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """A constraint without Optional<> and the like, and which of these it had."""
        record = self.records[reference["def"]]
        for wrapper, field in (("Optional", "baseType"), ("Variadic", "baseType"), ("OptionalAttr", "baseAttr"),
                               ("DefaultValuedAttr", "baseAttr")):
            if wrapper in record["!superclasses"]:
                return self.records[record[field]["def"]], wrapper
        return record, ""

    def words(self, constraint: dict[str, Any]) -> str:
        """What a type constraint asks for, in short."""
        if constraint["!name"] == "AnyType":
            return "a tensor, quantized or not"
        if constraint["!name"] == "TE_AnyScaled":
            return "a quantized tensor"
        text = constraint["summary"].removeprefix("ranked ").replace(" values", "")
        for long, short in (("bfloat16 type", "bf16"), ("16-bit float", "f16"), ("32-bit float", "f32"),
                            ("32-bit signless integer", "i32"), ("64-bit signless integer", "i64")):
            text = text.replace(long, short)
        text = re.sub(r"(f8\w+) type", r"\1", text).replace("0D tensor of", "one number (no dimensions),")
        text = re.sub(r"(\d)D tensor", r"\1-D tensor", text)
        return re.sub(r"(\w+) or (?=\w+ or)", r"\1, ", re.sub(r"^tensor of ", "", text))

    def enum_cases(self, attribute: dict[str, Any]) -> list[str]:
        return [self.records[case["def"]]["str"] for case in self.records[attribute["enum"]["def"]]["enumerants"]]

    def write_enums(self) -> list[str]:
        attributes = {name: self.records[name] for name in self.records["!instanceof"]["EnumAttr"]}
        lines: list[str] = []
        for name in USED_ENUMS:
            cases = ", ".join(map(repr_string, self.enum_cases(attributes[name])))
            lines += wrap(f"{self.records[attributes[name]['enum']['def']]['className']} = Literal[{cases}]", "", "    ")
        return lines


class TEOp:
    """Writes the function of a te op."""

    def __init__(self, definitions: Definitions, record: dict[str, Any]):
        self.definitions, self.record, self.name = definitions, record, record["opName"]
        traits = {trait["def"] for trait in record["traits"]}
        sized = [f"sized_{what}=True" for what in ("operands", "results") if f"AttrSized{what[:-1].title()}Segments" in traits]
        self.code = [f"op = Op({', '.join([repr_string('te.' + self.name), *sized])})"]
        self.parameters: list[Parameter] = []
        self.returns: list[tuple[str, str]] = []
        is_required = True
        for reference, name in record["arguments"]["args"]:
            is_required = self.add_argument(reference, name, is_required) and is_required
        position = sum(not parameter.is_keyword for parameter in self.parameters)
        self.parameters[position:position] = EXTRA.get(self.name, [])
        self.parameters.sort(key=lambda parameter: parameter.is_keyword)

    def add_argument(self, reference: dict[str, Any], name: str, is_first: bool) -> bool:
        """Whether it is required; required ones in front of the first that is not have a position."""
        constraint, wrapper = self.definitions.resolve(reference)
        default: str | None = None
        if "TypeConstraint" in constraint["!superclasses"]:
            doc = self.definitions.words(constraint)
            if wrapper == "Optional":
                annotation, default, call = "Operand | None", "None", f'op.optional("{name}", {name})'
            elif wrapper == "Variadic":
                annotation, call = "Sequence[Operand]", f'op.tensors("{name}", {name})'
            else:
                annotation, call = "Operand", f'{name} = op.tensor("{name}", {name})'
            self.code.append(call)
        else:
            annotation, default, doc, call = self.describe_attribute(constraint, self.definitions.records[reference["def"]], wrapper, name)
            self.code.append(call)
        is_keyword = default is not None or not is_first
        self.parameters.append(Parameter(name, annotation, default, doc, is_keyword))
        return default is None

    def describe_attribute(self, constraint: dict[str, Any], outer: dict[str, Any], wrapper: str,
                           name: str) -> tuple[str, str | None, str, str]:
        """Annotation, default, words and the call that adds it."""
        default = None
        if wrapper == "DefaultValuedAttr":
            default = outer["defaultValue"].removesuffix("f")
        kind = constraint["!name"]
        if kind == "UnitAttr":
            return "bool", "False", "a flag", f'op.flag("{name}", {name})'
        if "EnumAttr" in constraint["!superclasses"]:
            enum = self.definitions.records[constraint["enum"]["def"]]
            call = f'op.enum("{name}", {name}, "{constraint["mnemonic"]}", get_args({enum["className"]}))'
            return enum["className"], default, f"{enum['summary']}: {', '.join(self.definitions.enum_cases(constraint))}", call
        plain = {"F32Attr": ("float", "a number, kept as f32", f'op.f32("{name}", {name})'),
                 "I64Attr": ("int", "an integer", f'op.integer("{name}", {name}, "i64")'),
                 "I32Attr": ("int", "an integer of 32 bits", f'op.integer("{name}", {name}, "i32")'),
                 "TypedAttrInterface": ("float", "a number of the input's element type", f'op.number("{name}", {name}, input.dtype)'),
                 "DenseI64ArrayAttr": ("Sequence[int]", "integers", f'op.i64s("{name}", {name})'),
                 "TypeAttr": ("DType", "an element type", f'op.dtype("{name}", {name})'),
                 "TypeArrayAttr": ("Sequence[TensorType]", "types that te.tensor(...) makes", f'op.types("{name}", {name})')}
        annotation, doc, call = plain[kind]
        if wrapper == "OptionalAttr":
            return f"{annotation} | None", "None", doc, call
        return annotation, default, doc, call

    def add_result(self, reference: dict[str, Any], name: str) -> None:
        if (self.name, name) in WITHOUT_RESULTS:
            self.code.append("op.no_result()")
            return
        constraint, wrapper = self.definitions.resolve(reference)
        result = RESULTS[self.name][name]
        keyword = "dtype" if name in ("result", "dx") else f"{name}_dtype"
        dtype = result.dtype
        words = "f32"
        if dtype == "":
            position = sum(not parameter.is_keyword for parameter in self.parameters)
            self.parameters.insert(position, Parameter("dtype", "DType", None, "the result's element type"))
            dtype, words = "op.float_like(dtype, input)", "dtype"
        elif dtype.startswith("="):
            dtype = words = f"{dtype[1:]}.dtype"
        elif dtype.isidentifier():
            words = keyword
            source = "of the result" if dtype == "result" else f"{dtype}'s"
            self.parameters.append(Parameter(keyword, "DType | None", "None", f"the element type of {name}; without, {source}", True))
            if dtype == "result":
                dtype = f"{keyword} or dtype"
            else:
                what = "" if keyword == "dtype" else f', "{keyword}"'
                dtype = f"op.float_like({keyword}, {dtype}{what})"
            if keyword == "dtype" and any(r.dtype == "result" for r in RESULTS[self.name].values()):
                self.code.append(f"dtype = {dtype}")
                dtype = "dtype"
        elif "scheme" in dtype:
            words = "scheme"
        line = f"op.result({result.shape}, {dtype})"
        shape = re.sub(r"_shapes\.product\(.*", "[..., M, N]", result.shape)
        shape = {"()": "", "_shapes.half(input)": "input.shape, the last dimension halved", "_shapes.summed(a)": "a.shape[-1:]",
                 "_shapes.permuted(input, permutation)": "input.shape, reordered"}.get(shape, shape)
        if wrapper == "Optional":
            self.parameters.append(Parameter(name, "bool", "False", "asks for this result", True, "Literal[True]"))
            self.code += [f'if op.asked("{name}", {name}):', f"    {line}"]
            if "sized_results=True" in self.code[0]:
                self.code += ["else:", "    op.no_result()"]
            words += "; if asked for"
        else:
            self.code.append(line)
        self.returns.append((name, f"shape {shape}, elements {words}" if shape else f"one number (no dimensions), {words}"))

    def write(self) -> list[str]:
        optional = False
        if self.name == "dim":
            self.code.append("return op.size(input, dimension)")
            returns, self.returns = "Size", [("", "the size, of type index")]
        elif self.name in VARIADIC:
            code, words = VARIADIC[self.name]
            self.code += code
            self.returns = [("", words)]
            optional = any(parameter.present for parameter in self.parameters)
            returns = "tuple[Tensor, ...]"
            if not optional:
                self.code.append("return tuple(op.many())")
        else:
            for reference, name in self.record["results"]["args"]:
                self.add_result(reference, name)
            optional = any(parameter.present for parameter in self.parameters)
            count = len(self.returns)
            returns = "Tensor" if count == 1 else f"tuple[{', '.join(['Tensor'] * count)}]"
            if not optional:
                names = [name for name, _ in self.returns]
                self.code += ["return op.one()"] if count == 1 else [f"{', '.join(names)} = op.many()", f"return {', '.join(names)}"]
        lines: list[str] = []
        if optional:
            self.code.append("return op.some()")
            lines += self.write_overloads()
            returns = "Tensor | tuple[Tensor, ...]"
        arguments = [(parameter.name, parameter.doc + self.print_default(parameter)) for parameter in self.parameters]
        lines += signature(self.name, self.parameters, returns)
        lines += docstring(f"te.{self.name}: {self.record['summary']}", self.record["description"] or "",
                           [("Arguments", arguments), ("Returns", self.returns)])
        for i, line in enumerate(self.code):  # values that nothing asks for need no name
            if (match := re.match(r"(\w+) = (op\.tensor.*)", line)) and not re.search(rf"\b{match[1]}\b", "\n".join(self.code[i + 1:])):
                self.code[i] = match[2]
        return lines + [f"    {line}" for line in self.code]

    def print_default(self, parameter: Parameter) -> str:
        if parameter.default in (None, "False"):
            return ""
        return "; optional" if parameter.default == "None" else f"; {parameter.default} if not given"

    def write_overloads(self) -> list[str]:
        toggles = [parameter.name for parameter in self.parameters if parameter.present]
        fixed = 1 if self.name in VARIADIC else len(self.returns) - len(toggles)
        lines: list[str] = []
        for count in range(len(toggles) + 1):
            for present in itertools.combinations(toggles, count):
                results = fixed + count
                returns = "Tensor" if results == 1 else f"tuple[{', '.join(['Tensor'] * results)}]"
                lines += signature(self.name, self.parameters, returns, set(present)) + ["", ""]
        return lines


def repr_string(text: str) -> str:
    return f'"{text}"'


def write_elementwise(definitions: Definitions, name: str, category: str, is_exact: bool, meaning: str) -> list[str]:
    record = next(r for r in definitions.records.values()
                  if isinstance(r, dict) and r.get("opName") == name.split(".")[1] and "Op" in r.get("!superclasses", ()))
    attributes = {attribute: definitions.resolve(reference)[0] for reference, attribute in record["arguments"]["args"]
                  if "AttrConstraint" in definitions.records[reference["def"]]["!superclasses"]}
    count = len(record["arguments"]["args"]) - len(attributes)
    names = ["a", "b", "c"][:count]
    parameters = [Parameter(operand, "Number", None, "") for operand in names]
    words = [repr_string(name), f"[{', '.join(names)}]"]
    code: list[str] = []
    if category == "Choice":
        words.append("like=1")
    if category in ("Comparison", "IntegerComparison"):
        enum = attributes["predicate"]
        cases = {c["str"]: c["value"] for c in (definitions.records[case["def"]] for case in enum["enumerants"])}
        parameters.insert(0, Parameter("predicate", PREDICATES[category], None, ""))
        words_of_cases = ", ".join(f"{repr_string(case)}: {value}" for case, value in cases.items())
        code = wrap(f"cases = {{{words_of_cases}}}", "    ", "             ")
        code += ["    if not isinstance(predicate, str) or predicate not in cases:",
                 f"        raise TypeError(f\"{name}: predicate is {{predicate!r}}; there are {{', '.join(cases)}}\")"]
        words += ['"i1"', "predicate=cases[predicate]"]
    elif category in ("Widening", "Narrowing", "FloatsToIntegers"):
        parameters.append(Parameter("dtype", "DType", None, ""))
        words.append('check_dtype(dtype, "dtype")')
    elif category == "IntegersToFloats":
        words.append('"f32"')
    operands, result = CATEGORIES[category]
    python = name.split(".")[1]
    bound = "Exact" if is_exact else 'Within the bounds of "math" in docs/spec.md'
    lines = signature(python, parameters, "Tensor")
    text = f"Elements: {operands}, in tensors of one shape. Result: {result}. {bound}; other elements break L1."
    lines += docstring(f"{name}: {meaning}", "\n".join(textwrap.wrap(text, WIDTH - 4)), [])
    return lines + code + [f"    return elementwise({', '.join(words)})"]


def generate() -> str:
    te = Definitions(dump("include/te/Dialect/TE/IR/TEOps.td"))
    records = [te.records[name] for name in te.records["!instanceof"]["TE_Op"]]
    blocks = [TEOp(te, record).write() for record in sorted(records, key=lambda r: str(r["opName"])) if record["opName"] not in WITHOUT]
    names = sorted(record["opName"] for record in records if record["opName"] not in WITHOUT)
    upstream = {dialect: Definitions(dump(str(LLVM / f"include/mlir/Dialect/{dialect.title()}/IR/{dialect.title()}Ops.td")))
                for dialect in ("arith", "math")}
    table = re.findall(r'^TE_ELEMENTWISE\("([^"]+)", (\w+), (true|false),\s*"([^"]+)"\)',
                       (ROOT / "include/te/Dialect/TE/IR/Elementwise.def").read_text(), re.M)
    for name, category, exact, meaning in table:
        blocks.append(write_elementwise(upstream[name.split(".")[0]], name, category, exact == "true", meaning))
        names.append(name.split(".")[1])
    names += ["cast", "concat", "constant", "fusion", "insert", "reshape", "with_shape"]
    exported = wrap(", ".join(map(repr_string, names)), "    ", "    ")
    text = HEADER.replace("ENUMS", "\n".join(te.write_enums())) + "\n\n" + "\n\n\n".join("\n".join(block) for block in blocks)
    return text + "\n\n\n__all__ = [\n" + "\n".join(exported) + "\n]\n"


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    if len(arguments) != 1:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    path, text = Path(arguments[0]), generate()
    if "--check" not in sys.argv:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        print(f"stale: {path}; run 'make docs' and commit it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
