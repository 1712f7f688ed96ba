# SPDX-License-Identifier: MIT
"""Reads and extends NAME.ids: the number of each event of a domain. A number that was given once
stays: sessions hold it."""

import os

from model import SourceError

PAGE_EVENTS = 1024
HEAD = """\
# Numbers of the events of domain %s (tools/apigen/README.md). make gen appends what is new;
# a line that is here never changes, and never goes: sessions of every version hold its number.
"""


class Ids:
    """`own`, and in the file a line `own NUMBER`: numbers below it are the vendor's (fixed()),
    with gaps; ours begin there."""

    def __init__(self, root, path, name, own=1):
        self.path, self.name, self.numbers, self.used = path, name, {}, set()
        self.own = own
        full = os.path.join(root, path)
        last = 0
        for at, line in enumerate(open(full, encoding="utf-8") if os.path.exists(full) else [], 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "own":
                self.own = own = int(words[1])
                continue
            if len(words) != 2 or not words[0].isdigit() or words[1] in self.numbers:
                raise SourceError(path, at, "not a number and a new name")
            number = int(words[0])
            if number != self.after(last) and not (last < number <= own):
                raise SourceError(path, at, "number %d is no event's, or not the next: numbers "
                                  "are never changed, taken away or given twice" % number)
            self.numbers[words[1]] = last = number
        self.last = max(last, own - 1)

    @staticmethod
    def after(number):
        """The first of a page is no event."""
        number += 1
        return number + 1 if number % PAGE_EVENTS == 0 else number

    def number(self, name):
        if name not in self.numbers:
            self.last = self.after(self.last)
            self.numbers[name] = self.last
        self.used.add(name)
        return self.numbers[name]

    def fixed(self, name, number):
        """The number that the vendor's headers give."""
        if self.numbers.setdefault(name, number) != number or number >= self.own:
            raise SourceError(self.path, 0, "%s: %d is not what it was, or one of ours" % (name, number))
        self.used.add(name)
        return number

    def order(self, events):
        """The events by their numbers; event 0 is none. What the API has lost keeps its number,
        as an event without fields that is never written."""
        by_number = {event.id: event for event in events}
        empty = next(event for event in events if event.id == 0)
        for name, number in self.numbers.items():
            if number not in by_number:
                by_number[number] = empty.retired(number, name)
        return [by_number[number] for number in sorted(by_number)]

    def text(self):
        own = "own %d\n" % self.own if self.own > 1 else ""
        return HEAD % self.name + own + "".join("%d %s\n" % (number, name) for name, number
                                          in sorted(self.numbers.items(), key=lambda x: x[1]))
