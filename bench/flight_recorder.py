# SPDX-License-Identifier: MIT
"""A synchronous call in the flight recorder's rings next to one in a plain session, in turn in every
round; with a condition that is looked at as well."""
import statistics

CALLS, REPEATS = 10 ** 6, 3
WAYS = {"plain": (), "rings": ("--snapshot=4M",),
        "watched": ("--snapshot=4M", "--snapshot-when", "call clFinish > 5ms")}


def flight_recorder(bench):
    bench.title("Flight recorder: a synchronous call; floor: the same in a plain session")
    program = [bench.program("bench", "bench-sync"), str(CALLS), str(REPEATS)]
    samples = {name: [] for name in ("base", *WAYS)}
    for _ in range(bench.rounds):
        samples["base"].append(statistics.mean(bench.numbers("base", program)))
        for name, options in WAYS.items():
            command = bench.command("traced", program)
            at = command.index("--")
            # All calls of the loops together: some have a file's new pages in them.
            samples[name].append(statistics.mean(bench.numbers("base", [*command[:at], *options, *command[at:]])))
            bench.drop()
    for name, words in (("rings", "rings of 4 MiB"), ("watched", "the same, with a condition")):
        # Of each round's own pair.
        ratio = statistics.median(ring / plain for ring, plain in zip(samples[name], samples["plain"]))
        bench.add("snapshot", words, "ns",
                  {"base": samples["base"], "traced": samples[name], "floor": samples["plain"]},
                  target="traced <= 1.1 x plain, of each round's pair", passed=ratio <= 1.1,
                  beside_plain=round(ratio, 3))
