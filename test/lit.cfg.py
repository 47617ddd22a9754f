# lit configuration: te-mlir's tools, FileCheck and the venv's Python on the PATH.
import glob
import os

import lit.formats

config.name = "te-mlir"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)

build = lit_config.params.get("build") or os.path.join(config.test_source_root, "..", "build")
build = os.path.abspath(build)
config.test_exec_root = os.path.join(build, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", config.environment["PATH"]]
)
config.substitutions.append(("%python", os.path.join(build, "venv", "bin", "python")))
config.substitutions.append(("%build", build))
# NVIDIA's assembler, of Triton's wheel: it checks PTX where it is there.
for ptxas in glob.glob(os.path.join(build, "venv/lib/python*/site-packages/triton/backends/nvidia/bin/ptxas")):
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
config.substitutions.append(("%root", os.path.abspath(os.path.join(config.test_source_root, ".."))))
