"""Prints the parts of a manifest that a test looks at."""
import json
import sys

m = json.load(open(sys.argv[1]))
print("te_manifest", m["te_manifest"], "target", m["target"], "producer", m["producer"])
print("source te.quantize", "te.quantize" in m["source"])
for entry in m["entries"]:
    print("entry", entry["name"], "dims", entry["dims"])
    for buffer in entry["buffers"]:
        print("buffer", buffer["kind"], buffer["name"], buffer["dtype"], buffer["shape"])
    for step in entry["steps"]:
        assert len(step["grid"]) == 3 and step["args"], step
        print("step", step["kernel"], "block", step["block"])
print("kernels", sorted(kernel["name"] for kernel in m["kernels"]))
