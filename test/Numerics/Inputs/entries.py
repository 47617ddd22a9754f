"""Checks each entry of a program for sizes of its one dimension: entries.py HSACO DIM=N,N,..."""

import random
import subprocess
import sys

program, sizes = sys.argv[1:]
name, values = sizes.split("=")
seed = random.randrange(1 << 30)
print(f"seed {seed}")
listed = subprocess.run(["te-run", program, "--list"], capture_output=True, text=True, check=True).stdout
entries = [line.split()[1] for line in listed.splitlines() if line.startswith("entry ")]
failures = 0
for entry in entries:
    for size in values.split(","):
        seed += 2
        command = ["te-run", program, f"--entry={entry}", f"--dim={name}={size}", f"--input=random:{seed}", "--check",
                   "--sanitize"]
        result = subprocess.run(command, capture_output=True, text=True)
        failures += result.returncode != 0
        if result.returncode:
            print(f"FAIL {' '.join(command)}\n{result.stdout}{result.stderr}")
print(f"{len(entries)} entries, {failures} failures")
sys.exit(failures != 0 or not entries)
