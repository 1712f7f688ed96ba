# SPDX-License-Identifier: MIT
"""A run's figures as doc/OVERHEAD.md has them.

  python3 bench/tables.py [BUILD/bench/results.json]    prints them
  python3 bench/tables.py --write [RESULTS]             puts them into the page, between its marks
"""
import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(SOURCE, "doc", "OVERHEAD.md")
BEGIN = "<!-- what `python3 bench/tables.py --write` put here begins -->"
END = "<!-- and ends -->"
# Of a row; what else it has of its own is a column too.
COLUMNS = ("base", "loaded", "traced", "floor")
OTHERS = {"bench", "title", "case", "unit", "spread", "ratio", "target", "pass"}


def machine(rounds):
    """Where and when a run is."""
    cpu = "an unknown CPU"
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        found = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    if found:
        cpu = found[1]
    system = "an unknown system"
    if os.path.exists("/etc/os-release"):
        with open("/etc/os-release", encoding="utf-8") as file:
            found = re.search(r'^PRETTY_NAME="?([^"\n]*)', file.read(), re.M)
        if found:
            system = found[1]
    compiler = subprocess.run(["cc", "--version"], text=True, capture_output=True, check=False)
    load = os.getloadavg()
    return {"cpu": cpu, "cpus": os.cpu_count(), "kernel": platform.release(), "system": system,
            "compiler": (compiler.stdout.splitlines() or ["no compiler"])[0],
            "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"), "rounds": rounds,
            "load": round(load[0], 1)}


def number(value):
    if value is None:
        return ""
    if isinstance(value, list):
        return " - ".join(number(part) for part in value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return cell(str(value))
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def cell(words):
    return words.strip().replace("|", "\\|")


def table(rows):
    names = list(COLUMNS)
    for row in rows:
        names += [name for name in row if name not in OTHERS and name not in names]
    columns = [name for name in names if any(row.get(name) is not None for row in rows)]
    ratios = any(row.get("ratio") for row in rows)
    targets = any("target" in row for row in rows)
    heads = ["case", *columns, *(["ratio"] if ratios else []), *(["target", ""] if targets else [])]
    yield "| " + " | ".join(heads) + " |"
    yield "|---|" + "---:|" * (len(columns) + ratios) + ("---|---|" if targets else "")
    for row in rows:
        unit = f", {row['unit']}" if row.get("unit") else ""
        cells = [cell(str(row["case"])) + unit, *(number(row.get(name)) for name in columns)]
        if ratios:
            cells.append(f"{row['ratio']:.3f}" if row.get("ratio") else "")
        if targets:
            met = {True: "met", False: "**missed**"}.get(row.get("pass"), "")
            cells += [cell(str(row.get("target", ""))), met]
        yield "| " + " | ".join(cells) + " |"


def page(results, where):
    yield (f"{where['cpus']} CPUs of {where['cpu']}, Linux {where['kernel']}, {where['system']}, "
           f"{where['compiler']}; {where['date']}, {where['rounds']} rounds, load at the "
           f"beginning {where['load']}.")
    titles = []
    for row in results:
        if (row["bench"], row.get("title")) not in titles:
            titles.append((row["bench"], row.get("title")))
    for name, title in titles:
        yield ""
        yield f"**{title or name}** (`bench/run {name}`)"
        yield ""
        yield from table([row for row in results
                          if (row["bench"], row.get("title")) == (name, title)])
    missed = [f"{row['bench']}: {row['case'].strip()}" for row in results
              if row.get("pass") is False]
    yield ""
    yield (f"{sum(row.get('pass') is True for row in results)} of "
           f"{sum('pass' in row for row in results)} targets met"
           f"{'; missed: ' + ', '.join(missed) if missed else ''}.")


def write(text):
    with open(PAGE, encoding="utf-8") as file:
        old = file.read()
    begin, end = old.find(BEGIN), old.find(END)
    if begin < 0 or end < begin:
        sys.exit(f"{PAGE}: the marks `{BEGIN}` and `{END}` are not in it: put them where the "
                 "tables belong")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(old[:begin] + BEGIN + "\n\n" + text + "\n" + old[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="into doc/OVERHEAD.md")
    parser.add_argument("results", nargs="?",
                        default=os.path.join(SOURCE, "build", "bench", "results.json"))
    options = parser.parse_args()
    try:
        with open(options.results, encoding="utf-8") as file:
            results = json.load(file)
        with open(os.path.join(os.path.dirname(options.results), "machine.json"),
                  encoding="utf-8") as file:
            where = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"bench/tables.py: {options.results}: {error}: run `make bench` first")
    text = "\n".join(page(results, where)) + "\n"
    if options.write:
        write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
