"""ptx_manifest.py ARTEFACT PTX OUT: the artefact is the manifest in comments, then the PTX; writes the JSON."""
import sys

artefact, ptx, out = sys.argv[1:]
lines = open(artefact, encoding="ascii").read().split("\n")
assert lines[0] == "// te.manifest begin", lines[0]
end = lines.index("// te.manifest end")
assert all(line.startswith("// ") for line in lines[1:end])
open(out, "w").write("\n".join(line[3:] for line in lines[1:end]))
assert "\n".join(lines[end + 1:]) == open(ptx, encoding="ascii").read()
