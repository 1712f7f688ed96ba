#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How a device is connected to the host, as Linux describes its place on the PCI bus: here in
folders of our own, which a mount namespace has in place of the system's."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402

FAULTY = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "faulty")
BUS = "/sys/bus/pci/devices"
if not os.path.isdir(BUS) or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
    print("mount namespaces are not permitted, or there is no PCI bus")
    sys.exit(77)


def recorded(name, own, port):
    """Of a device with these files of its own and of the port above it."""
    place = os.path.join(name, "port", "0000:00:00.0")
    os.makedirs(place)
    for folder, texts in ((place, own), (os.path.dirname(place), port)):
        for file, text in zip(("max_link_speed", "max_link_width"), texts):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.write(text + "\n")
    bus = os.path.join(name, "bus")
    os.makedirs(bus)
    os.symlink(os.path.abspath(place), os.path.join(bus, "0000:00:00.0"))
    session = name + "-session"
    done = subprocess.run(["unshare", "-m", "sh", "-c", 'mount --bind "$0" %s && exec "$@"' % BUS,
                           bus, TANDEM, "record", "-q", "--args", "full", "-o", session, FAULTY,
                           "pageable"], text=True, capture_output=True)
    check(done.returncode == 0, name + ": is recorded", done.stderr)
    lines = subprocess.run([TANDEM, "print", session], text=True, capture_output=True).stdout
    found = subprocess.run([TANDEM, "findings", session], text=True, capture_output=True).stdout
    return [line.split("link(")[1] for line in lines.splitlines() if " link(" in line], \
        " ".join(found.split())


links, found = recorded("fast", ("32.0 GT/s PCIe", "16"), ())
check(len(links) == 1 and "megatransfers=32000, lanes=16)" in links[0], "what the device says", links)
check("pinned memory would reach 54.2 GB/s" in found and "the device's link" in found,
      "what pinned memory would reach follows from it", found)
links, found = recorded("slot", ("32.0 GT/s PCIe", "16"), ("8.0 GT/s PCIe", "8"))
check(len(links) == 1 and "megatransfers=8000, lanes=8)" in links[0], "a slower port", links)
links, found = recorded("old", ("2.5 GT/s PCIe", "16"), ())
check(len(links) == 1 and "megatransfers=2500, lanes=16)" in links[0], "tenths", links)
check("pageable" not in found, "pageable memory does not slow down what the link does", found)
for name, own in (("unknown", ("Unknown", "255")), ("empty", ("", "")), ("odd", ("a lot", "-3"))):
    links, found = recorded(name, own, ())
    check(not links, name + ": says nothing", links)
    check("12.0 GB/s" in found and "PCI Express 3.0" in found, name + ": the usual least", found)
finish()
