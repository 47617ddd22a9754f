"""The tools as the wheel's commands: `te-run`, `te-compile` and the others, from the native module and with no LLVM installed."""

import sys
from typing import NoReturn

from ._native import run_tool


def te_compile() -> NoReturn:
    run_tool(["te-compile", *sys.argv[1:]])


def te_lsp_server() -> NoReturn:
    run_tool(["te-lsp-server", *sys.argv[1:]])


def te_opt() -> NoReturn:
    run_tool(["te-opt", *sys.argv[1:]])


def te_reduce() -> NoReturn:
    run_tool(["te-reduce", *sys.argv[1:]])


def te_run() -> NoReturn:
    run_tool(["te-run", *sys.argv[1:]])


def te_tune() -> NoReturn:
    run_tool(["te-tune", *sys.argv[1:]])
