"""The wheel's commands: each is the tool of its name, with its output, exit codes and signals."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from te_mlir import _native

ROOT = Path(__file__).parents[2]
BIN = Path(_native.__file__).parents[2] / "bin"
NORM = ROOT / "examples/rmsnorm_mxfp8.mlir"
TOOLS = ["te-compile", "te-lsp-server", "te-opt", "te-reduce", "te-run", "te-tune"]


def read_scripts():
    """[project.scripts] of pyproject.toml; tomllib is not in Python 3.10."""
    table = (ROOT / "pyproject.toml").read_text().split("[project.scripts]\n")[1].split("\n[")[0]
    return dict(line.replace('"', "").split(" = ") for line in table.strip().splitlines())


def get_command(tool):
    """The wheel's script, as pip writes it."""
    module, function = read_scripts()[tool].split(":")
    return [sys.executable, "-c", f"import sys; from {module} import {function}; sys.exit({function}())"]


def run(command, *arguments, **options):
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, check=False, **options)


def test_each_tool_is_a_command():
    assert sorted(read_scripts()) == TOOLS


@pytest.mark.parametrize("arguments", [
    ["te-compile", NORM, "--target=gfx950"],
    ["te-compile", NORM, "--target=gfx950", "--emit=tile"],
    ["te-compile", NORM, "--target=gfx951"],
    ["te-compile", "no such file.mlir", "--target=gfx950"],
    ["te-opt", NORM, "--te-fuse"],
    ["te-opt", NORM, "--no-such-pass"],
    ["te-run", NORM, "--target=gfx942", "--entry=forward", "--dim=M=5", "--check"],
    ["te-run", NORM, "--target=gfx942", "--entry=forward", "--dim=M=5", "--stats"],
    ["te-run", NORM, "--target=gfx942", "--entry=forward", "--dim=N=5", "--check"],
    ["te-tune", NORM],
    ["te-reduce", "no such file.mlir"],
    ["te-lsp-server", "--no-such-flag"],
], ids=lambda arguments: " ".join(map(str, [arguments[0], *arguments[2:]])))
def test_command_is_the_tool(arguments):
    tool = run([BIN / arguments[0]], *arguments[1:], stdin=subprocess.DEVNULL)
    command = run(get_command(arguments[0]), *arguments[1:], stdin=subprocess.DEVNULL)
    assert command.returncode == tool.returncode
    assert command.stdout == tool.stdout
    assert len(command.stderr.splitlines()) == len(tool.stderr.splitlines())  # some name the program that runs


def test_full_disk():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*get_command("te-opt"), NORM], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode != 0 and b"No space left" in done.stderr


def test_ctrl_c_ends_a_command():
    process = subprocess.Popen([*get_command("te-run"), NORM, "--target=gfx942", "--entry=forward", "--dim=M=40000", "--check"], stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(5) == -signal.SIGINT
