#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the page looks (lib/looking.py) of a program of Python's with idle threads, whose stacks were
sampled: one row for these threads, the flame graph, and a reload of all of it.

tandem-test: timeout=600
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import scope
from looking import SEEN, look
from tap import TANDEM, check, finish
from viewing import Page, need_browser

need_browser()
if scope()[0] not in ("system", "program"):
    print("skipped: scheduling cannot be recorded here")
    sys.exit(77)

# What is shown; a reload has to keep it.
STATE = """
    const words = (wanted) => app.rows.all.filter(wanted).map(r => r.words);
    return {range: [Math.round(app.range.target.begin), Math.round(app.range.target.end)],
        selection: app.selection && [app.selection.begin, app.selection.end], pinned: words(r => r.pinned),
        chosen: words(r => r.chosen), folded: words(r => r.folded), theme: document.documentElement.dataset.theme,
        sheet: app.panel.sheet, heading: document.querySelector('#flame .actions')?.innerText}"""

SAMPLED = (
    ("idle threads are below one row, whose name is seen whole", """
        const r = app.rows.shown.find(r => r.kind === 'idle'), n = document.getElementById(`row-${r.session}-${r.number}`);
        const text = n.querySelector('.text');
        return [r.words, r.folded, text.scrollWidth <= text.clientWidth, app.rows.shown.filter(r => r.parent?.kind === 'idle').length]""",
     ["7 idle threads", True, True, 0]),
    ("which opens by a click, and closes", """
        const r = app.rows.shown.find(r => r.kind === 'idle');
        const fold = () => document.getElementById(`row-${r.session}-${r.number}`).querySelector('.fold').click();
        const count = () => app.rows.shown.filter(one => one.parent === r).length;
        fold();
        const open = count();
        fold();
        return [open, count()]""", [7, 0]),
    ("the flame graph is of the selection, and in the window", """
        app.panel.open('flame');
        await app.flame.refresh();
        const all = app.flame.root.total, {first, last} = app.range;
        app.select({begin: first, end: first + (last - first) / 2}, true);
        await app.panel.showSelection();
        const rows = app.panel.tables.find(t => t.name === 'CPU samples').rows;
        app.panel.open('flame');
        await app.flame.refresh();
        const b = box(app.flame.canvas), {root, boxes} = app.flame;
        return [root.total > 0 && root.total < all, root.total === rows.reduce((sum, r) => sum + r.self, 0),
            boxes.length > 3 && boxes.every(one => one.x >= 0 && one.x + one.width <= b.width + 1),
            b.right <= innerWidth, document.querySelector('#flame .actions').innerText.includes('in the selected range')]""",
     [True, True, True, True, True]),
    ("its boxes are drawn in colours, and in the box pointed to is what the tooltip says", """
        const {canvas, boxes} = app.flame, ratio = devicePixelRatio, b = box(canvas);
        const one = boxes.find(one => one.depth === 2) || boxes[1], x = one.x + one.width / 2, y = one.depth * FLAME_LINE + 2;
        const pixel = [...canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data].slice(0, 3);
        canvas.scrollIntoView();
        const at = box(canvas);
        canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: at.left + x, clientY: at.top + y}));
        const tip = document.getElementById('tooltip'), t = box(tip), said = tip.innerText.includes(visible(one.node.name));
        canvas.dispatchEvent(new PointerEvent('pointerleave'));
        return [pixel.join() === rgb(one.node.label.colour).join(), said,
            t.left >= 0 && t.right <= innerWidth && t.top >= 0 && t.bottom <= innerHeight, tip.hidden]""",
     [True, True, True, True]),
)


def reload_keeps(page, what):
    """Everything that is shown is there again after a reload."""
    page.run("""
        const {first, last} = app.range, idle = app.rows.all.find(r => r.kind === 'idle');
        app.range.set(first + (last - first) / 8, last - (last - first) / 4);
        app.select({begin: Math.round(first + (last - first) / 4), end: Math.round(first + (last - first) / 2)}, true);
        app.pin(app.rows.all.find(r => r.kind === 'thread'), true);
        app.chooseRow(app.rows.all.find(r => r.kind === 'process'), true);
        app.fold(idle, false);
        app.theme.toggle();
        document.getElementById('tab-flame').click();""")
    page.wait("return location.hash.includes('w=flame') && !!document.querySelector('#flame .actions')")
    check(page.still(), f"{what}: the picture is complete, whatever else was asked at the same time")
    before = page.run(STATE)
    page.run("location.reload()")
    page.wait("return !!app && !!app.first && app.panel.sheet === 'flame' && !!document.querySelector('#flame .actions')")
    check(page.still(), f"{what}: so it is after a reload")
    after = page.run(STATE)
    check(after == before and before["pinned"] and before["heading"], f"{what}: a reload keeps everything that is shown",
          {key: (before[key], after[key]) for key in before if after[key] != before[key]})
    seen = page.run(SEEN + """
        const n = document.querySelector('#pinned .name'), of = name => box(n.querySelector(name));
        return [of('.chip').right <= of('.pin').left, n.innerText.split(app.rows.pinned[0].id).length - 1]""")
    check(seen == [True, 1], f"{what}: a pinned row's mark is beside its pin, its number there once", seen)


IDLE = """
import threading, time
threads = [threading.Thread(target=time.sleep, args=(1.5,)) for _ in range(7)]
for thread in threads:
    thread.start()
end = time.thread_time() + 0.5
while time.thread_time() < end:
    sum(range(1000))
for thread in threads:
    thread.join()
"""
said = subprocess.run([TANDEM, "record", "-o", "sampled", "--sample", "999", sys.executable, "-c", IDLE], capture_output=True, text=True)
if "no stacks are sampled" in said.stderr:
    print("skipped:", said.stderr.strip())
    sys.exit(77)
look("sampled", SAMPLED, reload_keeps)
Page.close_browser()
finish()
