"""The JSON of run.test's batch."""

import json
import sys

good, error, off = (json.loads(line) for line in open(sys.argv[1]))
assert good["verdict"] == "PASS" and good["dims"] == {"M": 2, "K": 3}, good
assert good["runs"] == 3 and good["median_seconds"] == good["least_seconds"] == 1e-3, good
assert [r["name"] for r in good["results"]] == ["result0.data", "result0.scale"], good
assert good["least_bytes"] == 12 + 4 + 6 + 512, good
assert error["verdict"] == "ERROR" and "nothing.npy" in error["error"], error
assert off["verdict"] == "FAIL" and off["runs"] == 4, off
data = off["results"][0]
assert data["mismatches"] == data["differences"] == 1 and data["first_mismatch"] == 1, off
