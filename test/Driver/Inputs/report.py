"""Checks what te-compile --stats=json --explain=json says of quantize_0."""
import json
import sys

report = json.load(open(sys.argv[1]))
assert set(report) == {"stats", "explain"}, report.keys()
stats = {k["kernel"]: k for k in report["stats"]}
explain = {k["kernel"]: k for k in report["explain"]}
assert set(stats) == {"quantize_0", "quantize_0_zero", "dequantize_0"}, stats.keys()
assert set(explain) == {"quantize_0", "dequantize_0"}, explain.keys()
kernel = stats["quantize_0"]
assert 0 < kernel["vgprs"] <= 256 and kernel["agprs"] == 0, kernel
for unwanted in ("vgpr_spills", "sgpr_spills", "scratch_bytes"):
    assert kernel[unwanted] == 0, unwanted
assert 1 <= kernel["occupancy_waves_per_simd"] <= 8
assert sum(kernel["instruction_mix"].values()) == kernel["instructions"]
assert kernel["instruction_mix"]["vmem"] > 0
assert 1 <= kernel["bytes_over_least"] <= 1.03
decision = explain["quantize_0"]
assert decision["chosen_by"] == "te-schedule" and decision["ops"] == ["te.quantize"]
assert decision["estimated_lds"] >= kernel["lds_bytes"], "the LDS estimate is a bound"
assert decision["waves"] == kernel["waves_per_workgroup"]
