# SPDX-License-Identifier: MIT
"""Short programs after `tandem system enable`, by CPU time, which other work does not change."""
import os
import shutil
import tempfile


def cpu_ms(command, environment):
    child = os.posix_spawn(command[0], command, environment,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    used = os.wait4(child, 0)[2]
    return (used.ru_utime + used.ru_stime) * 1000


def waiting(bench):
    bench.title("Short programs that wait for `tandem system record`, CPU time")
    base = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else bench.sessions)
    layer = {"TANDEM_SYSTEM": base, "OPENCL_LAYERS": bench.program("libtandem-opencl.so")}
    both = {**layer, "LD_PRELOAD": bench.program("libtandem.so.0")}
    true, opencl = ["/bin/true"], [bench.program("bench", "bench-sync"), "1", "1"]
    # Without a preload a program that uses no runtime loads nothing.
    for words, command, count, ways in (("/bin/true", true, 1000, {"both": both}),
                                        ("an OpenCL program", opencl, 100, {"layer": layer, "both": both})):
        samples = {name: [] for name in ("base", *ways)}
        for _ in range(count):
            for name, values in samples.items():
                values.append(cpu_ms(command, {**bench.environment, **ways.get(name, {})}))
        for name in ways:
            bench.add("waiting", f"{words}, --inject {name}", "ms",
                      {"base": samples["base"], "loaded": samples[name]},
                      target="loaded <= base + 1 ms",
                      passed=lambda row: row["loaded"] <= row["base"] + 1)
    shutil.rmtree(base)
