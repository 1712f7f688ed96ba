#!/usr/bin/env python3
"""The estimate of what several queues would bring, against what they bring.

A driver whose units take a known time for each item and byte runs the example, and the
image program divided as in the CLUST paper's section 4.8.1, on one queue, which is
recorded, and then on several.

tandem-test: alone
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import BUILD, MANDELBROT, record, tandem

OVERLAP = os.path.join(BUILD, "examples", "findings", "overlap")
STUB = os.path.join(BUILD, "tests", "stubs", "libstubcl.so")
if not os.path.exists(OVERLAP) or not os.path.exists(STUB):
    print("the example is not built: no OpenCL")
    sys.exit(77)

def recorded(path, command, driver):
    """What is found, of the fastest of three runs: what else the machine does is in a
    recording as it is in a measurement, of which the fastest is taken too."""
    found = []
    for turn in range(3):
        status = record(f"{path}-{turn}", command, env=driver)
        said = tandem("findings", "--all", "-f", "json", "-k", "overlap", f"{path}-{turn}")
        check(status == 0 and said.returncode == 0, "recorded on one queue", said.stderr)
        found.append(json.loads(said.stdout))
    return min(found, key=lambda said: sum(r["took_ns"] for r in said["replays"]))


for item_us, byte_us in ((60, 12), (30, 20)):
    driver = {"OCL_ICD_VENDORS": STUB, "STUB_ENGINE": "units", "STUB_KITEM_US": str(item_us),
              "STUB_KBYTE_US": str(byte_us)}
    work = ["--pixels", "100000", "--frames", "30"]
    said = recorded(f"units-{item_us}", [OVERLAP, *work], driver)
    overlap = [f for f in said["findings"] if f["name"] == "overlap"]
    if not check(len(overlap) == 1, "what could overlap is found", said):
        continue
    estimate = {r["queues"]: r["ns"] for r in overlap[0]["replay"]}
    check(sorted(estimate) == list(range(1, 17)), "for 1 to 16 queues")
    # Of what was drawn before the others began: one frame of 31.
    for queues in (1, 2, 3, 4):
        took = min(int(subprocess.run([OVERLAP, *work, "--queues", str(queues)],
                                      env=dict(os.environ, **driver), check=True,
                                      capture_output=True, text=True).stdout)
                   for _ in range(3))
        wanted = estimate[queues] * 30 / 31
        print(f"# {queues} queues: estimated {wanted / 1e6:.1f} ms, measured {took / 1e6:.1f} ms")
        check(abs(took - wanted) <= 0.2 * took, f"{queues} queues take what was estimated, "
                                                "within a fifth")
    kernel, read = 100000 * item_us * 1e-6, 400000 * byte_us * 1e-6
    check(abs(estimate[16] / estimate[1] - max(kernel, read) / (kernel + read)) < 0.1,
          "with many, the busier unit is what is left", estimate)

driver = {"OCL_ICD_VENDORS": STUB, "STUB_ENGINE": "units", "STUB_KITEM_US": "200",
          "STUB_KBYTE_US": "6"}
draw = [MANDELBROT, "-w", "1280", "-h", "720", "-n", "10"]
said = recorded("image", draw, driver)
check(len(said["findings"]) == 1 and len(said["replays"]) == 1, "what could overlap is found", said)
replay = said["replays"][0]
check(replay["cycles"] == 11, "each frame is a cycle", replay)
estimate = {r["queues"]: r["ns"] / 11 for r in replay["estimate"]}
for queues in (2, 4, 8):
    took = min(float(re.search(r"([\d.]+) ns each", subprocess.run(
        [*draw, "--queues", str(queues)], env=dict(os.environ, **driver), check=True,
        capture_output=True, text=True).stdout)[1]) for _ in range(3))
    print(f"# {queues} queues: estimated {estimate[queues] / 1e6:.1f} ms, "
          f"measured {took / 1e6:.1f} ms")
    check(abs(took - estimate[queues]) <= 0.2 * took,
          f"a frame on {queues} queues takes what was estimated, within a fifth")
text = tandem("findings", "--kind", "overlap", "image-0").stdout
check(re.search(r"queues 1: [\d.]+ ms, 2: [\d.]+ ms", text), "text shows the whole series", text)
pictures = set()
for queues in (1, 3, 16):
    subprocess.run([*draw[:-1], "3", "-q", str(queues), "-o", "picture"], check=True,
                   stdout=subprocess.DEVNULL)
    pictures.add(open("picture", "rb").read())
check(len(pictures) == 1, "divided or not, the picture is the same")
finish()
