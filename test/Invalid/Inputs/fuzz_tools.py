"""Mutates what tools read besides IR, and their command lines: .npy files, artefacts and their manifests, tuning databases, flags.

usage: fuzz_tools.py BIN KIND SEED COUNT SECONDS     KIND: npy, artefact, manifest, database, flags

Fails where a tool ends by a signal, with a code other than 0, 1 or 2, by LLVM's own abort, or fails and says nothing. A mutant
may make a kernel that never ends: such a run is stopped, and counted. Stops after COUNT mutants or SECONDS.
"""
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = """
#mx = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @norm(%x: tensor<?x64xbf16> {te.dims = ["M", "K"], te.name = "x"}, %g: tensor<64xf32>) -> !te.scaled<?x64xf8E4M3FN, #mx> {
  %s = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %n, %r = te.rms_norm %s, %g {epsilon = 1.0e-5 : f32} : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>, tensor<?xf32>
  %q = te.quantize %n : tensor<?x64xf32> -> !te.scaled<?x64xf8E4M3FN, #mx>
  return %q : !te.scaled<?x64xf8E4M3FN, #mx>
}
"""
MEMORY = 8 << 30  # of address space: what asks for more must say so
NUMBERS = [b"0", b"-1", b"1", b"31", b"255", b"65536", b"2147483648", b"4294967296", b"9223372036854775807", b"1e400", b"99999999999999999999"]
WORDS = [b"null", b"true", b"[]", b"{}", b'""', b'"mul"', b'"M"', b'["mul", "M", 9223372036854775807]', b'["floordiv", 1, 0]', b"'<f4'", b"(3,)", b"()"]


def mutate_bytes(data, rng, first=0, last=None):
    data, last = bytearray(data), len(data) if last is None else last
    for _ in range(rng.choice([1, 1, 2, 8])):
        kind, at = rng.randrange(5), rng.randrange(first, max(first + 1, last))
        if kind == 0:
            data[at:at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            data[at:at + 1] = bytes([data[at] ^ 1 << rng.randrange(8)]) if at < len(data) else b"\0"
        elif kind == 2:
            width = rng.choice([2, 4, 8])
            data[at:at + width] = rng.choice([0, 1, 2**(8 * width - 1), 2**(8 * width) - 1]).to_bytes(width, "little")
        elif kind == 3 and last == len(data):
            del data[at:at + rng.choice([1, 4, 64, 4096])]
        elif kind == 4 and last == len(data):
            data[at:at] = data[at:at + rng.choice([1, 8, 64])]
    return bytes(data)


def mutate_text(text, rng):
    """Numbers and words of JSON, or of a header."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        spans = [m.span() for m in re.finditer(rb'-?\d+|"[^"]*"|\w+|[\[\]{}(),:]', text)]
        if not spans:
            return text
        start, end = rng.choice(spans)
        pool = rng.choice([NUMBERS, NUMBERS, WORDS, [b""], [text[slice(*rng.choice(spans))]]])
        text = text[:start] + rng.choice(pool) + text[end:]
    return text


class Fuzzer:
    def __init__(self, tools, folder, rng):
        self.tools, self.folder, self.rng = tools, folder, rng
        self.source, self.image, self.database = folder / "p.mlir", folder / "p.hsaco", folder / "db.json"
        self.source.write_text(PROGRAM)
        subprocess.run([tools / "te-compile", self.source, "--target=gfx950", "-o", self.image], check=True)
        subprocess.run([tools / "te-tune", self.source, "--target=gfx950", f"--tuning-db={self.database}", "--budget=1", "--dim=M=4"],
                       check=True, capture_output=True)
        subprocess.run([tools / "te-run", self.image, "--dim=M=4", f"--save={folder / 'case'}"], check=True, capture_output=True)
        self.inputs = [folder / "case" / f"in.{name}.npy" for name in ("x", "arg1")]
        self.mutant = folder / "mutant"

    def npy(self):
        files = list(self.inputs)
        which = self.rng.randrange(2)
        data = files[which].read_bytes()
        header = 10 + int.from_bytes(data[8:10], "little")
        if self.rng.random() < 0.5:
            data = data[:10] + mutate_text(data[10:header].rstrip(), self.rng).ljust(header - 11)[:header - 11] + b"\n" + data[header:]
        else:
            data = mutate_bytes(data, self.rng, 0, self.rng.choice([12, header, len(data)]))
        self.mutant.write_bytes(data)
        files[which] = self.mutant
        return ["te-run", self.image, *(f"--input={f}" for f in files), *self.rng.choice([[], ["--dim=M=4"], ["--check"]])]

    def artefact(self):
        self.mutant.write_bytes(mutate_bytes(self.image.read_bytes(), self.rng))
        return self.rng.choice([["te-run", self.mutant, "--list"], ["te-run", self.mutant, "--dim=M=4"], ["te-launch", self.mutant, "--list"],
                                ["te-run", self.mutant, "--dim=M=4", "--sanitize"],
                                ["te-run", self.mutant, "--kernel=norm_0", "--grid=1", "--block=64", "--arg=tmp:bf16[4,64]", "--arg=tmp:f32[64]",
                                 "--arg=tmp:i8[256]", "--arg=tmp:i8[4096]", "--arg=i64:4"]])

    def manifest(self):
        data = self.image.read_bytes()
        start = data.index(b'{"entries"')
        end = data.index(b'"te_manifest":2}') + len(b'"te_manifest":2}')
        text = data[start:end]
        # As long as it was: the section stays where it is.
        mutated = mutate_text(text, self.rng)[:len(text)].ljust(len(text))
        self.mutant.write_bytes(data[:start] + mutated + data[end:])
        return self.rng.choice([["te-run", self.mutant, "--list"], ["te-run", self.mutant, "--dim=M=4"], ["te-run", self.mutant, "--dim=M=4", "--check"],
                                ["te-launch", self.mutant, "--list"]])

    def database_(self):
        self.mutant.write_bytes(mutate_text(self.database.read_bytes(), self.rng) if self.rng.random() < 0.8 else
                                mutate_bytes(self.database.read_bytes(), self.rng))
        return self.rng.choice([["te-compile", self.source, "--target=gfx950", f"--tuning-db={self.mutant}", "--emit=fused", "-o", os.devnull],
                                ["te-tune", self.source, "--target=gfx950", f"--tuning-db={self.mutant}", "--budget=1", "--dim=M=1"]])

    def flags(self):
        values = ["", "0", "-1", "M=4", "M=", "M=9223372036854775807", "K=64", "norm", "norm_0", "x", "gfx950", "gfx942", "sm_90a", "json", "text",
                  "random:0", "random:", "random:1:uniform", "/dev/null", "/nonexistent/x", str(self.inputs[0]), "fused", "asm", "hsaco", "1,1,1",
                  "64", "4294967296,1,1", "in:x.npy", "out:f32[4]:/dev/null", "tmp:f32[9999999999999]", "struct:i32:1,f32:x", "bytes:0g", "lds:-1",
                  "i32:99999999999", "null", "1s", "\xff\n", "a" * 5000]
        names = {"te-run": ["target", "device", "entry", "tuning-db", "input", "output", "dim", "kernel", "grid", "block", "lds", "buffer", "arg",
                            "check", "sanitize", "stats", "annotate", "profile", "compare", "sample", "save", "results", "list", "nonsense"],
                 "te-compile": ["target", "emit", "stats", "explain", "timing", "line-tables", "tuning-db", "ptxas", "o", "nonsense"],
                 "te-launch": ["entry", "input", "output", "dim", "expect", "save", "tolerance", "seed", "json", "list", "batch", "device", "repeat"],
                 "te-tune": ["target", "dim", "shapes", "budget", "nonsense"]}
        tool = self.rng.choice(list(names))
        file = self.rng.choice([self.source, self.image, self.database, self.inputs[0], "/dev/null", self.folder, "/nonexistent"])
        flags = [] if self.rng.random() < 0.1 else [str(file)]
        for _ in range(self.rng.randrange(5)):
            name = self.rng.choice(names[tool])
            flags.append(f"--{name}" if self.rng.random() < 0.3 else f"--{name}={self.rng.choice(values)}")
        if tool == "te-tune":
            shutil.copy(self.database, self.mutant)
            flags += [f"--tuning-db={self.mutant}", "--budget=1"]
        return [tool, *flags]

    def run(self, command):
        """What is wrong, or None; and whether the run was stopped."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            done = subprocess.run([self.tools / command[0], *map(str, command[1:])], capture_output=True, timeout=20, stdin=subprocess.DEVNULL,
                                  preexec_fn=limit, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return None, True
        said = done.stdout + done.stderr
        if done.returncode < 0:
            return f"ends by signal {-done.returncode}", False
        if done.returncode not in (0, 1, 2):
            return f"exit code {done.returncode}", False
        if b"LLVM ERROR" in said or b"Stack dump" in said:
            return "an abort of LLVM", False
        if done.returncode and not said:
            return f"exit code {done.returncode} without a word", False
        return None, False


def main():
    tools, kind = Path(sys.argv[1]).resolve(), sys.argv[2]
    seed, count, seconds = map(int, sys.argv[3:6])
    print("seed", seed)
    rng, failures, stopped, done = random.Random(seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        fuzzer = Fuzzer(tools, Path(name), rng)
        make = {"npy": fuzzer.npy, "artefact": fuzzer.artefact, "manifest": fuzzer.manifest, "database": fuzzer.database_, "flags": fuzzer.flags}[kind]
        start = time.monotonic()
        while done < count and time.monotonic() - start < seconds:
            command = make()
            wrong, late = fuzzer.run(command)
            stopped += late
            if wrong:
                failures += 1
                kept = Path(tempfile.gettempdir()) / f"te-fuzz-{kind}-{seed}-{done}"
                if fuzzer.mutant.exists():
                    shutil.copy(fuzzer.mutant, kept)
                print(f"mutant {done}: {' '.join(map(str, command))}: {wrong}; its file is {kept}", flush=True)
            done += 1
    print("mutants", done, "stopped", stopped, "failures", failures)
    return 1 if failures or done < min(count, 20) else 0


if __name__ == "__main__":
    sys.exit(main())
