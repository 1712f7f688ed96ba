#!/usr/bin/env python3
"""Writes first inputs for fuzz_trace into FOLDER: sessions of every argument level.

    tests/fuzz/seeds.py GEN_TRACE FOLDER
"""
import os
import re
import subprocess
import sys
import tempfile


def session_input(generator, level, records, window):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([generator, "-n", str(records), "-t", "1", "-w", str(window),
                        "-a", level, folder], check=True, stdout=subprocess.DEVNULL)
        process = os.path.join(folder, "process-1000")
        with open(os.path.join(process, "metadata"), encoding="utf-8") as file:
            text = file.read()
        # The blocks that the reader takes; the events' text is long and passed over.
        blocks = re.findall(r"^(?:trace|env|clock) \{.*?^\};", text, re.S | re.M)
        metadata = "\n".join(blocks).encode()
        parts = []
        for name in "stream-1", "window-1":
            with open(os.path.join(process, name), "rb") as file:
                parts.append(file.read())
    return (len(metadata).to_bytes(2, "little") + len(parts[0]).to_bytes(3, "little")
            + metadata + parts[0] + parts[1])


def main():
    generator, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for level in "none", "basic", "full":
        for records, window in (20, 1024), (60, 1200):
            data = session_input(generator, level, records, window)
            with open(os.path.join(folder, f"{level}-{records}"), "wb") as file:
                file.write(data)


main()
