"""no_spills.py STATS LEAST: at least so many kernels, each of which ptxas fitted into registers (but for a few that it
may trade for occupancy)."""
import json
import sys

kernels = json.load(open(sys.argv[1]))["stats"]
assert len(kernels) >= int(sys.argv[2]), len(kernels)
for kernel in kernels:
    assert 0 < kernel["vgprs"] <= 255, kernel
    assert kernel["vgpr_spills"] <= 4 and kernel["scratch_bytes"] <= 16, kernel
    assert kernel["occupancy_waves_per_simd"] > 0, kernel
