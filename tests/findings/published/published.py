#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Public OpenCL programs with a performance fault, and without it.

    published.py prepare CACHE [--from NAME=GITDIR]... [CASE...]   gets, edits and builds
    published.py run CACHE CASE [planted|repaired]                 runs one version (exec)
    published.py list

The originals are no part of this project: `prepare` gets each repository at the commit of
programs.json from its public address, or from an existing clone with --from. A version is the
original and an ed script of edits/ (as of `diff -e`). table.json says what may be said of each.
"""
import json
import os
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))


def programs():
    with open(os.path.join(HERE, "programs.json")) as file:
        return json.load(file)


def repository(cache, name, entry, given):
    """A git directory that has the commit."""
    if name in given:
        return given[name]
    folder = os.path.join(os.path.abspath(cache), "repositories", name)
    if not os.path.isdir(folder):
        subprocess.run(["git", "clone", "-q", "--bare", entry["address"], folder], check=True)
    return folder


def extract(git, commit, path, into):
    """A folder or a file of the commit, in the same place below `into`."""
    place = os.path.join(into, path)
    kind = subprocess.run(["git", "-C", git, "cat-file", "-t", f"{commit}:{path}"], stdout=subprocess.PIPE, text=True, check=True)
    if kind.stdout.strip() == "blob":
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            subprocess.run(["git", "-C", git, "show", f"{commit}:{path}"], stdout=file, check=True)
        return
    os.makedirs(place, exist_ok=True)
    archive = subprocess.Popen(["git", "-C", git, "archive", f"{commit}:{path}"], stdout=subprocess.PIPE)
    with tarfile.open(fileobj=archive.stdout, mode="r|") as tar:
        tar.extractall(place)
    if archive.wait():
        sys.exit(f"published: {path} is not in {git} at {commit}")


def prepare(cache, case, data, given):
    program = data["programs"][case]
    entry = data["repositories"][program["repository"]]
    git = repository(cache, program["repository"], entry, given)
    for name in ("planted", "repaired"):
        if name not in program:
            continue
        top = os.path.join(os.path.abspath(cache), case, name)
        subprocess.run(["rm", "-rf", top], check=True)
        directory = program["directory"]
        for path in [directory] + program.get("extra", []):
            extract(git, entry["commit"], path, top)
        for file, script in program[name] or []:
            with open(os.path.join(HERE, script), "rb") as text:
                commands = text.read() + b"w\nq\n"
            subprocess.run(["ed", "-s", os.path.join(top, directory, file)], input=commands, check=True,
                           stderr=subprocess.DEVNULL)
        for command in program["build"] + [program[key] for key in ("prepare",) if program.get(key)]:
            subprocess.run(command, shell=True, cwd=os.path.join(top, directory), check=True)


def main(arguments):
    if arguments[:1] == ["list"]:
        print("\n".join(programs()["programs"]))
    elif arguments[:1] == ["prepare"] and len(arguments) > 1:
        data, given, cases, rest = programs(), {}, [], iter(arguments[2:])
        for word in rest:
            if word == "--from":
                name, _, folder = next(rest).partition("=")
                given[name] = os.path.abspath(folder)
            else:
                cases.append(word)
        for case in cases or data["programs"]:
            prepare(arguments[1], case, data, given)
            print(f"published: {case} is prepared", flush=True)
    elif arguments[:1] == ["run"] and len(arguments) in (3, 4):
        version = arguments[3] if len(arguments) == 4 else "planted"
        program = programs()["programs"][arguments[2]]
        os.chdir(os.path.join(arguments[1], arguments[2], version, program["directory"]))
        os.execv(program["run"][0], program["run"])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
