#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Public CUDA programs with a performance fault, and without it.

published.py prepare CACHE [--from NAME=GITDIR]... [CASE...]
    gets the sources of each case at its commit, applies the edits of
    programs.json and builds CACHE/CASE/planted/ and CACHE/CASE/repaired/
published.py run CACHE CASE [repaired]
    becomes the program, in its directory
published.py strip CACHE OUT [CASE...]
    copies what runs need (the programs and the files that cases carry)
published.py list
    the cases, each with its versions
"""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("planted", "repaired")


def load():
    with open(os.path.join(HERE, "programs.json")) as file:
        return json.load(file)


def versions(program):
    """A clean program, which has no "repaired", is only planted/."""
    return [v for v in VERSIONS if v == "planted" or v in program]


def repository(cache, name, described, given):
    """A git directory that holds the commit."""
    if name in given:
        return given[name]
    path = os.path.join(cache, ".repositories", name)
    if not os.path.isdir(path):
        subprocess.run(["git", "clone", "--quiet", "--bare",
                        described["address"], path], check=True)
    return path


def extract(git, commit, paths, without, into):
    """Writes the files of the commit that are at or under the paths."""
    listed = subprocess.run(["git", "-C", git, "ls-tree", "-r", "-z", commit,
                             "--", *paths], check=True,
                            stdout=subprocess.PIPE).stdout
    for entry in listed.decode().split("\0")[:-1]:
        described, name = entry.split("\t", 1)
        if os.path.basename(name) in without:
            continue
        shown = subprocess.run(["git", "-C", git, "cat-file", "blob",
                                described.split()[2]],
                               check=True, stdout=subprocess.PIPE).stdout
        target = os.path.join(into, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(shown)


def edit(directory, edits):
    """Edits are None or a list of [file, ed script]."""
    for name, script in edits or []:
        result = subprocess.run(["ed", "-s", os.path.join(directory, name)],
                                input=script.rstrip("\n") + "\nw\nq\n",
                                text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
        if result.returncode or "?" in result.stdout:
            sys.exit(f"{directory}/{name}: ed refuses: {result.stdout}")


def prepare(cache, given, cases):
    data = load()
    for case in cases or data["programs"]:
        program = data["programs"][case]
        described = data["repositories"][program["repository"]]
        git = repository(cache, program["repository"], described, given)
        for version in versions(program):
            top = os.path.join(cache, case, version)
            shutil.rmtree(top, ignore_errors=True)
            os.makedirs(top)
            extract(git, described["commit"],
                    [program["directory"], *program.get("extra", [])],
                    program.get("without", []), top)
            directory = os.path.join(top, program["directory"])
            edit(directory, program[version])
            commands = list(program["build"])
            if program.get("prepare"):
                commands.append(program["prepare"])
            for command in commands:
                subprocess.run(command, shell=True, cwd=directory, check=True)
            print(case, version, flush=True)


def run(cache, case, version="planted"):
    program = load()["programs"][case]
    os.chdir(os.path.join(cache, case, version, program["directory"]))
    os.execv("./program", ["./program", *program["run"]])


def strip(cache, out, cases):
    data = load()
    total = 0
    for case in cases or data["programs"]:
        program = data["programs"][case]
        for version in versions(program):
            inside = os.path.join(case, version, program["directory"])
            for name in ["program", *program.get("carry", [])]:
                source = os.path.join(cache, inside, name)
                target = os.path.join(out, inside, name)
                if not os.path.exists(source) and version == "planted":
                    continue
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(source, target)
                if name == "program":
                    subprocess.run(["strip", "--strip-debug", "-x", target],
                                   check=True)
                total += os.path.getsize(target)
    print(f"{total / 1e6:.1f} MB")


def main(args):
    if args[:1] == ["list"]:
        for case, program in load()["programs"].items():
            print(case, *versions(program))
        return
    if len(args) < 2 or args[0] not in ("prepare", "run", "strip"):
        sys.exit(__doc__)
    if args[0] == "run":
        run(*args[1:])
    if args[0] == "strip":
        strip(args[1], args[2], args[3:])
    if args[0] == "prepare":
        given, cases = {}, []
        rest = iter(args[2:])
        for arg in rest:
            if arg == "--from":
                name, path = next(rest).split("=", 1)
                given[name] = path
            else:
                cases.append(arg)
        prepare(os.path.abspath(args[1]), given, cases)


if __name__ == "__main__":
    main(sys.argv[1:])
