#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The field's words on the screen: no string of the command, of a library or of the page, no
man page and no line of the README or of doc/ has a word that has a better one (doc/GLOSSARY.md has
the terms). WORDS_ROOT: another tree than this one."""
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish  # noqa: E402

ROOT = Path(os.environ.get("WORDS_ROOT") or os.environ["TANDEM_SOURCE"])

# What is not said: what is said instead.
WORDS = {
    r"beside": "next to, except, with",
    r"anew": "again",
    r"meanwhile": "at the same time",
    r"side by side": "at the same time",
    r"(is|are|was|were|be) told|tells? (of|you|more)": "reported, says",
    r"stands? (at|for|in|on)": "is at, represents",
    r"lies|lay": "is, is located",
    r"mend(s|ed|ing)?": "fix, hint",
    r"how sure|surer|so sure": "confidence, more reliable",
    r"likely, guess|a guess": "low confidence",
    r"most of all": "mainly",
    r"(and )?whom( for)?": "who",
    r"lost sight": "untracked",
    r"be called back": "use a callback",
    r"again and again": "polls, repeatedly",
    r"ready to run": "runnable",
    r"had (its|the|their) CPU": "ran instead",
    r"no multiple of": "not a multiple of",
    r"order of time": "chronologically, in time order",
    r"the whole run": "the full trace, the run",
    r"more than chance|(may|could) be chance|chance alone": "significant",
    r"known by": "completion source",
    r"not known|is known|was learned": "unknown, not recorded",
    r"(is|are) taken for": "is counted as",
    r"give(s|n)? back": "returns",
    r"own place in time": "in time order",
    r"harms?": "disturbs, breaks",
    r"nothing to wait for|waits for nothing": "no pending work",
    r"in host queue|in device queue": "queued to submit, submit to start",
    r"which (session|program|verb)\?|there is no verb|what is to be recorded": "no ... given, unknown command",
    r"(?<!there )is no (number|rate|size|time|format)": "invalid value",
    r"so often a second": "a second",
    r"how to get into": "injection method",
    r"the kernel's side": "kernel events",
    r"say nothing of": "quiet",
    r"never seen to end|its end was not seen": "did not complete, completion not recorded",
    r"layers? taken": "supported",
    r"another kind of machine": "different architecture",
    r"holds other things than": "is not a session directory",
    r"go back, go on|to the begin|let go": "pan, start, clear",
    r"belongs to it|Belongs to": "related events",
    r"no record tells": "unknown",
    r"[Ss]um (them )?up": "aggregate",
    r"this stretch|a stretch of": "range",
    r"What to know about": "warnings",
    r"times are right within": "timestamp error",
    r"whoever asked": "for all processes",
    r"recorded nothing of": "no events recorded for",
    r"is there already": "already exists",
    r"holds an overview|items made of": "downsampled: N items represent M",
    r"\u00b5s|\\u00b5s|\\xc2\\xb5s": "us",
}
FORBIDDEN = {re.compile(r"(?<!\w)(?:%s)(?!\w)" % words): better for words, better in WORDS.items()}

# Labels of the screen and the page, which are ordinary words of a document.
PROSE = {r"not known|is known|was learned", r"times are right within", r"give(s|n)? back",
         r"belongs to it|Belongs to"}
DOCUMENTS = {re.compile(r"(?<!\w)(?:%s)(?!\w)" % words): better for words, better in WORDS.items()
             if words not in PROSE}

# (file, what it has): why it may. Names of before that a format still has, for one version.
EXCEPTIONS = {
    ("src/util/units.c", "\\xc2\\xb5s"): "is read, not written",
    ("src/cli/doctor/doctor.c", "mend"): "its name in JSON of version 0.1",
    ("man/tandem-doctor.1", "mend"): "says so",
    ("doc/FINDINGS.md", "likely, guess"): "says what version 0.1 called them",
}


def unquoted(text):
    """Literals in double quotes, those that follow each other as one, without comments."""
    text = re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", text, flags=re.M)
    one = re.compile(r'/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
    end, said = -1, []
    for found in one.finditer(text):
        if found.group(1) is None:
            continue
        words = found.group(1).replace("\\n", " ").replace('\\"', '"')
        if said and not text[end:found.start()].replace("\\\n", "").strip():
            said[-1] += words
        else:
            said.append(words)
        end = found.end()
    return said


def script(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.findall(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`', text)


def page(text):
    return [re.sub(r"<!--.*?-->", "", text, flags=re.S)]


def manual(text):
    return [re.sub(r"\s+", " ", re.sub(r"^\.\S+", "", re.sub(r"\\f.|\\", "", text), flags=re.M))]


def prose(text):
    return [re.sub(r"\s+", " ", re.sub(r"```.*?```", "", text, flags=re.S))]


def document(text):
    """Without names of the code: they are in backquotes."""
    return [re.sub(r"`[^`]*`", "", prose(text)[0])]


def sources():
    for path in sorted((ROOT / "src").rglob("*")):
        if "gen" in path.parts:
            continue
        if path.suffix in (".c", ".h", ".def"):
            yield path, unquoted
        elif path.suffix == ".js":
            yield path, script
        elif path.suffix == ".html":
            yield path, page
    for path in sorted((ROOT / "man").glob("*.[13]")):
        yield path, manual
    yield ROOT / "README.md", prose
    for path in sorted((ROOT / "doc").glob("*.md")):
        yield path, document


files, strings, used, wrong = 0, 0, set(), []
for path, extract in sources():
    name = str(path.relative_to(ROOT))
    files += 1
    for said in extract(path.read_text()):
        strings += 1
        for pattern, better in (DOCUMENTS if extract is document else FORBIDDEN).items():
            found = pattern.search(said)
            if not found:
                continue
            if (name, found[0]) in EXCEPTIONS:
                used.add((name, found[0]))
            else:
                at = max(found.start() - 40, 0)
                wrong.append(f"{name}: ...{said[at:found.end() + 40].strip()}... ({better})")
check(files > 300 and strings > 5000, "there are strings on the screen", (files, strings))
check(not wrong, "every string has the field's words", wrong)
check(PROSE <= set(WORDS), "what a document may say is in the list", PROSE - set(WORDS))
check(used == set(EXCEPTIONS), "every exception is needed", sorted(set(EXCEPTIONS) - used))
# A runtime's row is all that names it in a document that lists them.
rows = (ROOT / "src" / "schema" / "domains.def").read_text()
titles = {title for start in re.split(r"^DOMAIN\(", rows, flags=re.M)[1:] if ".runtime = 0" not in start
          for title in re.findall(r'\.title = "([^"]+)"', start)}
for name in ("man/tandem.1", "README.md"):
    text = (ROOT / name).read_text()
    check(len(titles) >= 5 and all(title in text for title in titles), f"{name} names every runtime",
          sorted(title for title in titles if title not in text))

joined = unquoted('#include "x beside"\nf("a be" /* "beside" */, \'"\');\nf("side "\n  "b anew");')
check(joined == ["a be", "side b anew"] and any(p.search(joined[1]) for p in FORBIDDEN),
      "adjacent literals are one string, comments are none", joined)
finish()
