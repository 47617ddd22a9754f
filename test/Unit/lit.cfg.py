# lit configuration: the GoogleTest programs of unittests/.
import os

import lit.formats

config.name = "te-mlir-Unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
build = lit_config.params.get("build") or os.path.join(os.path.dirname(__file__), "..", "..", "build")
config.test_source_root = config.test_exec_root = os.path.join(os.path.abspath(build), "bin", "unittests")
