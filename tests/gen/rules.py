#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The language of rules files (tools/apigen/rules.py): what a later line changes, and
that whatever can't be right is refused with its line."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tools/apigen"))
sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests/lib"))
from model import SourceError  # noqa: E402
from rules import Rules  # noqa: E402
import tap  # noqa: E402
from tap import finish  # noqa: E402

FUNCTIONS = ["getA", "getB", "copy", "copyAsync", "sync"]


def check(is_, wanted, words):
    tap.check(is_ == wanted, words, "%s, not %s" % (is_, wanted))


def read(text):
    with open("x.rules", "w") as file:
        file.write(text)
    return Rules("x.rules", FUNCTIONS, ("after", "arg."))


rules = read("""# comment
object handle queue
rename size:size_t bytes
get* class=query
getB class=call
copy*
\tclass=enqueue after="f(a, b)"
*Async synchronous=never arg.p=basic
sync class=wait wait=device
""")
check(rules.of("getA")["class"], "query", "a pattern stands for what it matches")
check(rules.of("getB")["class"], "call", "a later line wins")
check(rules.of("copyAsync"), {"class": "enqueue", "after": "f(a, b)", "synchronous": "never",
                              "arg.p": "basic", "line": 8}, "lines add up; quotes keep blanks")
check(rules.objects, {"handle": "queue"}, "a type's meaning")
check((rules.field_name("size", "size_t"), rules.field_name("size", "int")), ("bytes", "size"),
      "a name for one type only")
check(rules.traits("sync", rules.of("sync"), "wait").wait, "device", "a trait")

for text, why in (("get class=query", "no function get"), ("getA clas=query", "what is clas?"),
                  ("getA class=quary", "quary is no class"), ("getA", "not understood"),
                  ("class=query", "not understood"), ('getA after="f(', "No closing quotation"),
                  ("object handle", "no function object"), ("role x nothing", "no function role")):
    try:
        read("\n" + text + "\n")
        said = "nothing"
    except SourceError as error:
        said = str(error)
    check(said, "x.rules:2: " + why, "refused: " + text)
try:
    rules.traits("getA", rules.of("getA"), "wait")
    said = "nothing"
except SourceError as error:
    said = str(error)
check(said, "x.rules:4: getA: what is complete after this wait?", "a wait without a scope")
finish()
