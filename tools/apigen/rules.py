# SPDX-License-Identifier: MIT
"""Reads a rules file: what an API's description can't know of its functions.

One language for all domains; its syntax and all keys: README.md beside this file."""

import fnmatch
import os
import re
import shlex

from model import CLASSES, MEMORIES, WAITS, WHENS, Roles, SourceError, Traits

# Keys of a function's rule that every back end knows; the others it names itself.
COMMON = ("class", "wait", "synchronous", "memory", "graph", "signal", "single", "context",
          "poll")
WORDS = {"class": CLASSES, "wait": WAITS, "synchronous": WHENS, "memory": MEMORIES}


def backend(path):
    """What the line `backend WORD KEY=VALUE...` says, (word, {key: value}); (None, {}) where
    there are no rules: all that the domain has is in its table of events."""
    if not os.path.exists(path):
        return None, {}
    with open(path, encoding="utf-8") as file:
        found = re.search(r"^backend (.*(?:\n[\t ].*)*)", file.read(), re.M)
    if not found:
        raise SourceError(path, 0, "which back end? (backend WORD)")
    word, *said = shlex.split(found[1])
    return word, dict(text.split("=", 1) for text in said)


def poll_of(value):
    return value if value in (None, "always") else int(value, 0)


class Rules:
    """What is said about types, and for each function its keys and their values."""

    def __init__(self, path, functions, keys):
        self.path, self.functions, self.keys = path, functions, COMMON + keys
        self.objects, self.ops, self.results, self.bools = {}, set(), {}, set()
        self.pairs, self.structs, self.renames = [], {}, {}
        self.full, self.pointers, self.roles = set(), set(), Roles()
        self.lines = []           # (number, patterns, {key: value})
        for number, words in self.read():
            if not self.type_add(words[0], words[1:]):
                self.line_add(number, words)

    def read(self):
        """Yields (line number, words); an indented line continues the one above."""
        start, text = 0, ""
        with open(self.path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines + ["end"], 1):
            if line.lstrip().startswith("#") or not line.strip():
                continue
            if line[0] in "\t ":
                text += " " + line.strip()
                continue
            if text:
                try:
                    yield start, shlex.split(text)
                except ValueError as error:
                    raise SourceError(self.path, start, error) from None
            start, text = number, line

    def type_add(self, what, words):
        if what in ("object", "result", "rename") and len(words) == 2:
            getattr(self, what + "s")[words[0]] = words[1]
        elif what == "op":
            self.ops.update(words)
        elif what == "backend":  # read before
            return True
        elif what == "bool":
            self.bools.update(words)
        elif what == "pairs":
            self.pairs += words
        elif what == "full":
            self.full.update(words)
        elif what == "pointer":
            self.pointers.update(words)
        elif what == "struct":
            members = [word.split(":") for word in words if ":" in word]
            self.structs[" ".join(word for word in words if ":" not in word)] = members
        else:
            return what == "role" and self.roles.add(words)
        return True

    def line_add(self, number, words):
        patterns, rule = [], {}
        for word in words:
            key, equals, value = word.partition("=")
            if not rule and not equals and key not in self.keys:
                if not fnmatch.filter(self.functions, word):
                    raise SourceError(self.path, number, "no function %s" % word)
                patterns.append(word)
                continue
            if not (key in self.keys or key.partition(".")[0] + "." in self.keys):
                raise SourceError(self.path, number, "what is %s?" % key)
            if key in WORDS and value not in WORDS[key]:
                raise SourceError(self.path, number, "%s is no %s" % (value, key))
            rule[key] = value or "yes"
        if not patterns or not rule:
            raise SourceError(self.path, number, "not understood")
        self.lines.append((number, patterns, rule))

    def of(self, name):
        """The function's keys and values, of later lines where several say something, and
        "line": where the last of them is."""
        rule = {}
        for number, patterns, values in self.lines:
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
                rule.update(values, line=number)
        return rule

    def fail(self, rule, name, text):
        raise SourceError(self.path, rule.get("line", 0), "%s: %s" % (name, text))

    def traits(self, name, rule, cls, synchronous="never"):
        traits = Traits(wait=rule.get("wait", "none"), memory=rule.get("memory", "none"),
                        synchronous=rule.get("synchronous", synchronous),
                        graph="graph" in rule, signal="signal" in rule, single="single" in rule, context="context" in rule,
                        poll=poll_of(rule.get("poll")))
        if cls == "wait" and traits.wait == "none":
            self.fail(rule, name, "what is complete after this wait?")
        return traits

    def field_name(self, argument, type_name, function=""):
        return self.renames.get("%s.%s" % (function, argument)) or \
            self.renames.get("%s:%s" % (argument, type_name)) or \
            self.renames.get(argument, argument)
