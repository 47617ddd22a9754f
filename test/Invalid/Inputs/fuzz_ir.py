"""Mutates te modules and compiles each mutant for both chips.

usage: fuzz_ir.py TOOL SEED COUNT SECONDS FILE...

TOOL is te-compile, which gets one mutant a run, or te-opt, which gets many, as
--split-input-file has them: as far as machine-independent code, some fifty times as fast.
Fails where the tool ends by a signal, with a code other than 0, 1 or 2, fails and says
nothing, or does not end. Stops after COUNT mutants or SECONDS; says how many there were.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

TOKEN = re.compile(r"[%#@!]?[\w.]+|->|\S")
NUMBERS = ["0", "1", "-1", "3", "31", "32", "33", "128", "4096", "4294967296",
           "9223372036854775807", "-9223372036854775808", "99999999999999999999", "?"]


def delete_characters(text, rng):
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.randint(1, 8):]


def truncate(text, rng):
    return text[:rng.randrange(len(text))]


def change_number(text, rng):
    spans = [m.span() for m in re.finditer(r"(?<![\w%#@])-?\d+|\?", text)]
    if not spans:
        return text
    start, end = rng.choice(spans)
    return text[:start] + rng.choice(NUMBERS) + text[end:]


def swap_tokens(text, rng):
    spans = [m.span() for m in TOKEN.finditer(text)]
    if len(spans) < 2:
        return text
    (a, b), (c, d) = sorted(rng.sample(spans, 2))
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def replace_token(text, rng):
    spans = [m.span() for m in TOKEN.finditer(text)]
    if len(spans) < 2:
        return text
    (a, b), (c, d) = rng.sample(spans, 2)
    return text[:a] + text[c:d] + text[b:]


def repeat_line(text, rng):
    lines = text.split("\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return "\n".join(lines)


def drop_line(text, rng):
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def random_byte(text, rng):
    at = rng.randrange(len(text))
    return text[:at] + chr(rng.randrange(1, 256)) + text[at + 1:]


MUTATIONS = [delete_characters, truncate, change_number, change_number, change_number,
             swap_tokens, replace_token, replace_token, repeat_line, drop_line, random_byte]


SPLIT, BATCH = "// -----", 200


def judge(command, text, seconds=20):
    """What is wrong with how `command` takes `text`, or None."""
    with tempfile.NamedTemporaryFile("wb", suffix=".mlir") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.flush()
        try:
            run = subprocess.run(command + [file.name], capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"does not end within {seconds} s"
    if run.returncode < 0:
        return f"ends by signal {-run.returncode}"
    if run.returncode not in (0, 1, 2):
        return f"exit code {run.returncode}"
    if run.returncode and b"error" not in run.stderr:
        return f"exit code {run.returncode} without a diagnostic"
    return None


def judge_all(command, texts):
    """Each mutant that is taken wrongly, and how."""
    problem = judge(command, f"\n{SPLIT}\n".join(texts), 20 + len(texts))
    if not problem:
        return []
    if len(texts) == 1:
        return [(texts[0], problem)]
    half = len(texts) // 2
    return judge_all(command, texts[:half]) + judge_all(command, texts[half:])


def main():
    tool, seed, count, seconds = sys.argv[1], *map(int, sys.argv[2:5])
    texts = [open(name, encoding="utf-8").read() for name in sys.argv[5:]]
    # Comments are no syntax: mutating them finds nothing.
    texts = [re.sub(r"^//.*\n", "", text, flags=re.M) for text in texts]
    print("seed", seed)
    rng, failures, done, start = random.Random(seed), 0, 0, time.monotonic()
    isBatch = os.path.basename(tool) == "te-opt"
    while done < count and time.monotonic() - start < seconds:
        mutants = []
        for _ in range(BATCH if isBatch else 1):
            text = rng.choice(texts)
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                text = rng.choice(MUTATIONS)(text, rng) or " "
            mutants.append(text.replace(SPLIT, "//"))
        chip = ("gfx942", "gfx950")[done // len(mutants) % 2]
        if isBatch:
            command = [tool, "--split-input-file", f"--te-pipeline=target={chip} to=gpu", "-o", os.devnull]
        else:
            # The whole way is slow: most mutants go as far as machine-independent code.
            command = [tool, "--target=" + chip, "--emit=" + ("hsaco" if done % 16 == 0 else "gpu"), "-o", os.devnull]
        for text, problem in judge_all(command, mutants):
            failures += 1
            print(f"mutant {done}: {' '.join(command[1:])}: {problem}\n{text}\n", flush=True)
        done += len(mutants)
    print("mutants", done, "failures", failures)
    return 1 if failures or done < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
