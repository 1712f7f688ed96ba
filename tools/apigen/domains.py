# SPDX-License-Identifier: MIT
"""Reads src/schema/domains.def: numbers, parts and pages of the domains."""

import dataclasses
import os
import re

from model import SourceError

PAGE_EVENTS = 1024  # TANDEM_PAGE_EVENTS
PAGES = 64  # TANDEM_PAGES
_rows = {}


@dataclasses.dataclass(frozen=True)
class Domain:
    number: int
    name: str
    part: str                 # of which domain it is a part; its own name: of none
    pages: tuple              # of its event ids


def read(root):
    """The rows in the order of the list."""
    path = os.path.join(root, "src/schema/domains.def")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    _rows.clear()
    taken = set()
    for row in re.split(r"^(?=DOMAIN\()", text, flags=re.M)[1:]:
        number, name = re.match(r"DOMAIN\((\d+), (\w+)", row).groups()
        part = re.search(r"\.part = \"(\w+)\"", row)
        more = re.search(r"\.more_pages = PAGES\(([\d, ]+)\)", row)
        pages = (int(number),) + tuple(int(page) for page in (more[1].split(",") if more else ()))
        if name in _rows or taken & set(pages) or max(pages) >= PAGES:
            raise SourceError(path, 0, "%s: the number, a page or the name of another" % name)
        taken.update(pages)
        _rows[name] = Domain(int(number), name, part[1] if part else name, pages)
    return list(_rows.values())


def numbered():
    """(number, name) of each."""
    return [(row.number, row.name) for row in _rows.values()]


def page_owners():
    """(number of the domain, which of its pages) of each page of ids; nobody's: its own number."""
    owners = {page: (row.number, place) for row in _rows.values()
              for place, page in enumerate(row.pages)}
    return [owners.get(page, (page, 0)) for page in range(PAGES)]


def number(name):
    return _rows[name].number


def pages(name, most):
    """The pages that numbers up to `most` need."""
    need, have = most // PAGE_EVENTS + 1, _rows[name].pages
    if need > len(have):
        raise SourceError("src/schema/domains.def", 0, "%s has more events than ids: give it a "
                          "free page, .more_pages = PAGES(N)" % name)
    return have[:need]


def event_id(name, event):
    """The id of a domain's event by its number."""
    return pages(name, event)[-1] * PAGE_EVENTS + event % PAGE_EVENTS
