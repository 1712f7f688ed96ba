# SPDX-License-Identifier: MIT
"""Public programs with a performance fault, and without it. A folder of such a set has

    programs.json   repositories (address, commit) and programs: which folder of which repository
                    (`extra`: what else of it is needed, `without`: files that are not), the edits of
                    each version (pairs of a file and an ed script of edits/; null: as it is), how it is
                    built (`build`, and `prepare` for its input), and how run; `carry`: files that
                    a run needs beside the program
    table.json      what may be said of each (bench/findings.py)

The originals are no part of this project: prepare() gets each at its commit, into CACHE, and makes
CACHE/CASE/planted and CACHE/CASE/repaired of it. A program without a fault has no repaired version."""
import json
import os
import shutil
import subprocess
import tarfile

VERSIONS = ("planted", "repaired")


class Refused(Exception):
    """What can't be prepared, and why."""


class Published:
    """The set in `folder`, built in `cache`."""
    def __init__(self, folder, cache, given=None):
        self.folder, self.cache = folder, os.path.abspath(cache)
        self.given = given or {}  # name of a repository: a clone that is there
        with open(os.path.join(folder, "programs.json"), encoding="utf-8") as file:
            data = json.load(file)
        self.programs, self.repositories = data["programs"], data["repositories"]

    def versions(self, case):
        return [version for version in VERSIONS if version == "planted" or version in self.programs[case]]

    def directory(self, case, version):
        """Where the program is built, and runs."""
        return os.path.join(self.cache, case, version, self.programs[case]["directory"])

    def command(self, case, version="planted"):
        """In directory(): the words by which it is run."""
        return self.programs[case]["run"]

    def is_there(self, case, version="planted"):
        return os.access(os.path.join(self.directory(case, version), self.command(case)[0]), os.X_OK)

    def clone(self, name):
        if name in self.given:
            return self.given[name]
        path = os.path.join(self.cache, "repositories", name)
        if not os.path.isdir(path):
            subprocess.run(["git", "clone", "-q", "--bare", self.repositories[name]["address"], path], check=True)
        return path

    def prepare(self, case):
        program = self.programs[case]
        for version in self.versions(case):
            top = os.path.join(self.cache, case, version)
            shutil.rmtree(top, ignore_errors=True)
            for path in [program["directory"], *program.get("extra", [])]:
                extract(self.clone(program["repository"]), self.repositories[program["repository"]]["commit"],
                        path, program.get("without", []), top)
            directory = self.directory(case, version)
            for file, script in program[version] or []:
                edit(os.path.join(directory, file), os.path.join(self.folder, script))
            for command in [*program["build"], program.get("prepare", "")]:
                subprocess.run(command, shell=True, cwd=directory, check=True)

    def strip(self, case, out):
        """Copies what its runs need to another cache."""
        other = Published(self.folder, out)
        for version in self.versions(case):
            for name in [self.command(case)[0], *self.programs[case].get("carry", [])]:
                source = os.path.join(self.directory(case, version), name)
                target = os.path.join(other.directory(case, version), name)
                if not os.path.exists(source) and version == "planted":
                    continue  # what the repaired version keeps
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(source, target)
                if name == self.command(case)[0]:
                    subprocess.run(["strip", "--strip-debug", "-x", target], check=True)


def extract(git, commit, path, without, into):
    """A folder or a file of the commit, in the same place below `into`."""
    archive = subprocess.Popen(["git", "-C", git, "archive", commit, path], stdout=subprocess.PIPE)
    with tarfile.open(fileobj=archive.stdout, mode="r|") as tar:
        for member in tar:
            if os.path.basename(member.name) not in without:
                tar.extract(member, into)
    if archive.wait():
        raise Refused("%s is not in %s at %s" % (path, git, commit))


def edit(file, script):
    with open(script, encoding="utf-8", errors="surrogateescape") as text:
        commands = text.read().rstrip("\n") + "\nw\nq\n"
    done = subprocess.run(["ed", "-s", file], input=commands, text=True, errors="surrogateescape",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode or "?" in done.stdout:
        raise Refused("%s: ed refuses %s: %s" % (file, script, done.stdout))
