#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the page looks and what it offers, each sentence of a table at three widths, in light and in
dark, served and as one file.

tandem-test: timeout=600
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import Session
from looking import BEYOND, look
from tap import finish
from viewing import Page, need_browser
from traces import synthetic

need_browser()

# --- a session that has everything that the table asks for: the device works for a hundredth of the
# run, one thread enqueues, the main thread does not, a wait for more commands than links are given of.
made = Session("all")
made.first_tid = 999
made.call("clGetDeviceInfo", 1000, 9000000, thread=1)
for i in range(100):
    made.call("clEnqueueNDRangeKernel", 5000000 + 100 * i, 5000050 + 100 * i, op=i + 1, thread=3)
made.call("clEnqueueReadBuffer", 5011000, 5099000, op=101, thread=3)
made.call("clFinish", 5099100, 5100000, thread=3)
for i in range(100):
    made.operation(5098000 + i, op=i + 1, thread=3, times=(5000060 + 100 * i, 5000090 + 100 * i, 5012000 + 700 * i,
                                                            5012000 + 700 * i + 300 + i))
made.operation(5099990, op=101, times=(5011500, 5011600, 5085000, 5090000), thread=3, call="clEnqueueReadBuffer", kind=2)
made.write()

TABLE = (
    ("devices come first", "return app.rows.shown[0].kind", "device"),
    ("the main thread is on top and marked, those that launch are next",
     "return app.rows.shown.filter(r => r.kind === 'thread').map(r => r.words)", ["worker 1000", "worker 1002"]),
    ("marks are seen whole", """
        return [...document.querySelectorAll('#rows .chip')].map(c => [c.innerText, box(c).width > 0,
            box(c).right <= box(c.closest('.name')).right, box(c.closest('.name').querySelector('.text')).width > 20])""",
     [["main", True, True, True], ["launches", True, True, True]]),
    ("a queue's kernels and transfers are in one row",
     "const r = app.rows.shown.find(r => r.kind === 'queue'); return [r.folded, r.lanes.map(l => l.track.row.kind)]",
     [True, ["kernels", "transfers"]]),
    ("a pin is not on its row's name", """
        const name = [...document.querySelectorAll('#rows .name')].find(n => !n.querySelector('.chip'));
        const text = name.querySelector('.text'), before = text.textContent;
        text.textContent = 'a device with a long name '.repeat(8);
        const found = box(text).right <= box(name.querySelector('.pin')).left;
        text.textContent = before;
        return found""", True),
    ("a finding's flag ends below the names in its row", """
        return FLAG_HEIGHT - ROW_PADDING <= (TRACK_HEIGHTS.spans - parseInt(TEXT_FONT)) / 2""", True),
    BEYOND,
    ("the page itself does not scroll",
     "const d = document.documentElement; return [d.scrollWidth > innerWidth, d.scrollHeight > innerHeight]", [False, False]),
    ("nothing in the header is on top of something else", """
        const nodes = [...document.querySelectorAll('header button, header input, header .run')].filter(n => box(n).width);
        const found = [];
        for (const [i, a] of nodes.entries())
            for (const b of nodes.slice(i + 1))
                if (!a.contains(b) && !b.contains(a) && box(a).left < box(b).right - 1 && box(b).left < box(a).right - 1 &&
                    box(a).top < box(b).bottom - 1 && box(b).top < box(a).bottom - 1)
                    found.push([a.id || a.innerText, b.id || b.innerText]);
        return found""", []),
    ("words of the ruler do not touch", """
        const context = document.createElement('canvas').getContext('2d');
        context.font = getComputedStyle(document.body).font;
        const width = document.querySelector('.ruler').clientWidth, words = app.ruler.words(width);
        const scale = width / (app.range.end - app.range.begin), found = [];
        for (let i = 1; i < words.length; i++)
            if ((words[i].at - words[i - 1].at) * scale < context.measureText(words[i - 1].words).width)
                found.push([words[i - 1].words, words[i].words]);
        return [words.length > 1, found]""", [True, []]),
    ("cards of findings use the width", """
        app.findings.found = [];
        app.findings.take([{state: 'done', findings: Array.from({length: 6}, (_, i) => ({name: 'made', cause: 'up', cost_ns: 1e6 - i,
            percent: 11, description: 'a made-up finding of some length', confidence: 'high', suggestion: 'nothing',
            where: {process: 1000, thread: 1002, begin_ns: 5e6, end_ns: 5.1e6}}))}]);
        app.panel.open('findings');
        const cards = [...document.querySelectorAll('#findings > *, #findings .finding')].filter(n => n.querySelector('.title, a, button'));
        const rights = cards.map(n => box(n).right), lefts = new Set(cards.map(n => Math.round(box(n).left)));
        return [innerWidth - Math.max(...rights) < 60, lefts.size]""",
     lambda found, width: found[0] and found[1] >= (2 if width >= 1440 else 1)),
    ("a finding's mark can be hovered, and its tooltip is in the window", """
        app.range.set(app.range.first, app.range.last);
        const r = app.rows.shown.find(r => r.words === 'worker 1002');
        app.pane.scrollTo(r);
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        const place = box(app.pane.overlay), y = box(app.pane.node).top + r.y - app.pane.node.scrollTop + r.height - 2;
        const event = new PointerEvent('pointermove', {clientX: place.left + app.pane.x(5.05e6), clientY: y, bubbles: true});
        app.pane.overlay.dispatchEvent(event);
        await new Promise(done => setTimeout(done, 300));
        const tip = document.getElementById('tooltip'), b = box(tip);
        return [!tip.hidden && tip.innerText.includes('made-up'), b.left >= 0 && b.right <= innerWidth && b.top >= 0 && b.bottom <= innerHeight]""",
     [True, True]),
    ("one key zooms to where the device works", """
        app.tooltip.hide();
        document.activeElement.blur();
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'g', bubbles: true}));
        await new Promise(done => setTimeout(done, 500));
        return [app.range.target.begin > 4.9e6, app.range.target.end < 5.2e6]""", [True, True]),
    ("a search shows a list with calls first, inside of the window", """
        app.search.input.focus();
        app.search.input.value = 'clen';
        await app.search.find();
        app.search.input.dispatchEvent(new Event('input'));
        await new Promise(done => setTimeout(done, 400));
        const list = document.getElementById('search-list'), b = box(list);
        const named = [...list.querySelectorAll('[role=option] .what')].map(n => n.innerText);
        const kinds = list.querySelectorAll('.kind').length;
        app.search.clear();
        app.search.input.blur();
        return [named[0].startsWith('clEnqueue'), b.left >= 0 && b.right <= innerWidth && b.bottom <= innerHeight && b.width > 100, kinds > 0]""",
     [True, True, True]),
    ("a wait over many commands says how many more, and has the last", """
        const t = app.rows.all.find(r => r.words === 'worker 1002').tracks.find(t => t.type === 'spans');
        await app.goTo(0, {track: t.number, item: 101});
        const ended = app.detail.links.filter(l => l.is === 'ended');
        return [app.detail.name, ended.length, document.getElementById('details').innerText.includes('more')]""",
     lambda found, _: found[0] == "clFinish" and found[1] > 0 or found[0] == "clEnqueueReadBuffer" and found[2]),
    ("a selection of chosen rows has tables inside of the window", """
        app.choose(null);
        app.chooseRow(app.rows.all.find(r => r.words === 'worker 1002'), true);
        app.select({begin: 5e6, end: 5.1e6}, true);
        await app.panel.showSelection();
        const tables = [...document.querySelectorAll('#selection table')].filter(n => box(n).width);
        const names = document.getElementById('selection').innerText;
        app.chooseRow(app.rows.all.find(r => r.words === 'worker 1002'), false);
        return [tables.length > 0, tables.every(n => box(n).right <= innerWidth + 1), names.includes('clEnqueueNDRangeKernel'),
            names.includes('clGetDeviceInfo')]""", [True, True, True, False]),
    ("tables of a selection use the width: beside the first is another, or it has all of it", """
        app.select({begin: 5e6, end: 5.1e6}, true);
        await app.panel.showSelection();
        const sheet = box(document.getElementById('selection')), tables = [...document.querySelectorAll('#selection table')].map(box);
        const first = tables[0], beside = tables.some(one => one.top === first.top && one.left > first.right);
        const cut = [...document.querySelectorAll('#selection table .pick')].filter(n => n.innerText.startsWith('clEnq') &&
            n.scrollWidth > n.clientWidth).map(n => n.innerText);
        return [tables.length > 1 && (beside || sheet.right - first.right < 40), cut]""", [True, []]),
    ("a line is not broken within a time's digits", "return /[ \\u2009]/.test(timeWords(4783936412).replace(/ s$/, ''))", False),
    ("from a name to all its launches, with a histogram and the slowest first", """
        await app.findAll('clEnqueueNDRangeKernel', 'call');
        await new Promise(done => setTimeout(done, 300));
        const sheet = document.getElementById('instances'), bars = [...sheet.querySelectorAll('.histogram button')];
        const found = [sheet.innerText.includes('100'), bars.length > 0, bars.every(n => box(n).right <= innerWidth)];
        app.search.clear();
        app.select(null);
        return found""", [True, True, True]),
    ("what is shown is in the address", """
        app.range.set(5e6, 5.1e6);
        await new Promise(done => setTimeout(done, 600));
        return location.hash.includes('r=5000000~5100000')""", True),
    ("words can be read (WCAG AA)", """
        const light = c => {
            const [r, g, b] = c.match(/[0-9.]+/g).map(Number).map(v => v / 255)
                .map(v => v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = node => {
            for (; node; node = node.parentElement) {
                const colour = getComputedStyle(node).backgroundColor;
                if (!/, 0\\)$|transparent/.test(colour))
                    return colour;
            }
            return 'rgb(255, 255, 255)';
        };
        const found = new Set();
        for (const node of document.querySelectorAll('header *, .panel *, #rows *')) {
            if (!box(node).width || ![...node.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
                continue;
            const style = getComputedStyle(node);
            if (style.visibility === 'hidden' || node.disabled || Number(style.opacity) < 1)
                continue;
            const [a, b] = [light(style.color), light(ground(node))].sort((x, y) => y - x);
            if ((a + 0.05) / (b + 0.05) < 4.5)
                found.add((node.id || node.className || node.tagName) + ' ' + style.color + ' on ' + ground(node));
        }
        return [...found]""", []),
)

BLOCKING = (
    ("a blocking read is a wait by its colour", """
        const labels = app.labels[0], of = kind => new Label('x', kind, 0, 0, 0).colour;
        const read = labels.find(l => l.kind === 'blocking' && !l.flags);
        return [read.kind, read.colour === of('wait'), read.colour === of('enqueue')]""", ["blocking", True, False]),
)

look("all", TABLE)
synthetic("blocking", records=400, threads=1)
look("blocking", BLOCKING)
Page.close_browser()
finish()
