# SPDX-License-Identifier: MIT
"""What a C++ compiler says of declarations in a vendor's headers: for import_hip.py and
import_hsa.py, which look for functions in the text and let the compiler measure them."""

import os
import re
import subprocess
import tempfile

# The class of a type as an argument: what tools/apigen/called.py calls KIND, and its size.
PROGRAM = """\
#include <cstddef>
#include <cstdio>
#include <type_traits>
%s
template <typename T> const char *kind()
{
	if (std::is_same<T, const char *>::value) return "text";
	if (std::is_pointer<T>::value) return "pointer";
	if (std::is_floating_point<T>::value) return "float";
	if (std::is_class<T>::value || std::is_union<T>::value) return "struct";
	if (std::is_enum<T>::value) return "int";
	return std::is_signed<T>::value ? "int" : "uint";
}
#define TYPE(...) std::printf("%%zu %%s\\n", sizeof(__VA_ARGS__), kind<__VA_ARGS__>())
int main()
{
%s	return 0;
}
"""


class Compiler:
    def __init__(self, folders, head, flags=()):
        self.head, self.flags = head, ["-I" + folder for folder in folders] + list(flags)

    def command(self):
        return ["c++", "-w", "-std=c++17", *self.flags]

    def preprocess(self):
        run = subprocess.run([*self.command(), "-E", "-P", "-x", "c++", "-"], input=self.head,
                             stdout=subprocess.PIPE, text=True, check=True)
        return run.stdout

    def ask(self, lines):
        """Runs the lines as a program; returns what they print, line by line."""
        with tempfile.TemporaryDirectory() as place:
            source = os.path.join(place, "ask.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(PROGRAM % (self.head, "".join("\t%s\n" % line for line in lines)))
            run = subprocess.run([*self.command(), source, "-o", source[:-4]],
                                 stderr=subprocess.PIPE, text=True, check=False)
            if run.returncode:
                raise SystemExit("%s\n%s" % (" ".join(self.command()), run.stderr[:4000]))
            return subprocess.run([source[:-4]], capture_output=True, text=True,
                                  check=True).stdout.splitlines()

    def types(self, names):
        """{type: (bytes, kind)}"""
        names = list(dict.fromkeys(names))
        answers = self.ask("TYPE(%s);" % name for name in names)
        return {name: (int(answer.split()[0]), answer.split()[1])
                for name, answer in zip(names, answers)}


def split(text, at=","):
    """At the commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == at and not depth:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [" ".join(part.split()) for part in parts + [part] if part.strip()]


def parameters(text):
    """[(type, name)] of a parameter list. An array is a pointer, and so is a function."""
    found = []
    for number, part in enumerate(split(text)):
        part = re.sub(r"\s*=\s*[^,]*$", "", part)
        if part == "void":
            continue
        function = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", part)
        if function:
            found.append(("void *", function[1]))
            continue
        part, array = re.subn(r"\[[^\]]*\]", "", part)
        type_name, name = re.match(r"(.*?)\b(\w+)$", part.strip()).groups() \
            if re.search(r"[\s*&]\w+$", part.strip()) else (part, "arg%d" % number)
        type_name = re.sub(r"\s*\*", " *", " ".join(type_name.split()))
        found.append((type_name + (" *" if array else ""), name))
    return found


def enumerations(text):
    """{type: [word]} of preprocessed text."""
    enums = {}
    for head, body, name in re.findall(r"\benum\b([^{};]*)\{(.*?)\}\s*(\w*)\s*;", text, flags=re.S):
        tag = re.search(r"(\w+)\s*(:.*)?$", head.strip(), re.S)
        words = [re.match(r"\s*(\w+)", part) for part in split(body)]
        if name or tag:
            enums[name or tag[1]] = [word.group(1) for word in words if word]
    return enums


def enum_lines(compiler, enums, used):
    """The lines `enum TYPE` and its words, as an .api file has them."""
    lines = []
    for name in sorted(used):
        lines.append("std::printf(\"enum %s\\n\");" % name)
        lines += ["std::printf(\"\\t%%lld %s\\n\", (long long)%s);" % (word, word)
                  for word in enums[name]]
    return compiler.ask(lines)


def place(arguments):
    """Offsets of (bytes, kind) one after another, each at its own alignment: at most 8."""
    at, offsets = 0, []
    for size, kind in arguments:
        align = 8 if kind == "struct" and size % 8 == 0 else 4 if kind == "struct" else size
        at = (at + align - 1) // align * align
        offsets.append(at)
        at += size
    return offsets
