#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Task graphs in the timeline, served and as one file: a task's and an operation's details have their node and
links along the edges that were recorded, with arrows; the graph is drawn, folded by place where it is large,
its longest chain marked; a click and the arrow keys lead to the tasks."""
import collections
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS
from tap import check, finish
from taskgraph import TaskGraph, record
from viewing import Page, need_browser, pages

need_browser()
PROGRAM = pathlib.Path(os.environ["TANDEM_BUILD"]).resolve() / "tests" / "sycl" / "sycl-runtime"
if not PROGRAM.exists():
    print("skipped: the program was not built: it needs OpenCL and a C++ compiler")
    sys.exit(77)
STUB = {name: str(value) for name, value in DRIVERS["stub"].items()}
ROUNDS = 40


def made(session, rounds):
    done, _ = record([PROGRAM, "later", str(rounds)], session, STUB, ["--args", "full"])
    check(done.returncode == 0, f"{session}: it runs", done.stderr)
    return TaskGraph(session)


def paths_ns(graph, device_ns):
    """The longest chain's device time, by another way than the page's: nodes by their numbers."""
    before = collections.defaultdict(set)
    for edge in graph.by_name["edge_create"]:
        before[edge["args"]["to"]].add(edge["args"]["from"])
    best = {}
    for node in sorted(device_ns | dict.fromkeys(before, 0)):
        best[node] = device_ns.get(node, 0) + max((best[b] for b in before[node]), default=0)
    return max(best.values())


graph = made("tasks", ROUNDS)
edges = {(e["args"]["from"], e["args"]["to"]) for e in graph.by_name["edge_create"]}
# Stand-ins for events are not among them: edges come from whose event it is.
numbers = {node for (_, node), args in graph.nodes.items()
           if graph.constructs[next(iter(graph.nodes))[0], args["construct"]]["kind"] != "external"}
for where, page in pages("tasks"):
    browser = page.browser
    check(page.whole and not browser.complaints(), f"{where}: a picture, and no complaint", browser.complaints())
    tasks = page.run("""
        const found = {tasks: {}, operations: {}, rows: {}};
        for (const track of app.rows.byTrack.values()) {
            if (track.type !== "spans" || track.again)
                continue;
            for (let item = 0; item < track.items; item++) {
                const detail = await app.source.detail(0, track.number, item);
                if (!detail.task)
                    continue;
                const facts = Object.fromEntries(detail.task.facts.map(f => [f.is, f.text !== undefined ? f.text :
                    f.count !== undefined ? f.count : f.ns]));
                const links = await Promise.all(detail.links.filter(l => ["predecessor", "successor", "task", "operation"]
                    .includes(l.is)).map(async l => [l.is, (await app.source.detail(0, l.track, l.item)).task.facts[0].count]));
                const group = GROUPS.get(detail.kind);
                const of = group === "command" ? found.operations : group === "graph" ? found.rows : found.tasks;
                of[facts.node] = {facts, links, name: detail.name, begin: detail.begin_ns, end: detail.end_ns, index: detail.task.node, track: track.number, item};
            }
        }
        return found;""")
    submitted = {t["args"]["node"] for t in graph.tasks}
    check({int(n) for n in tasks["tasks"]} == submitted, f"{where}: each task has its node", sorted(tasks["tasks"]))
    for what, of in tasks.items():
        told = {(int(n), other) for n, one in of.items() for is_, other in one["links"] if is_ == "successor"}
        back = {(other, int(n)) for n, one in of.items() for is_, other in one["links"] if is_ == "predecessor"}
        wanted = {(a, b) for a, b in edges if str(a) in of}
        check(told == wanted and {(a, b) for a, b in back} == {(a, b) for a, b in edges if str(b) in of} and wanted,
              f"{where}: links of {what} are the edges that were recorded", (told ^ wanted, back))
    # A row of tasks, above the queues: each from its submission to the end of its operation.
    check({int(n) for n in tasks["rows"]} == submitted and
          all(one["begin"] == tasks["tasks"][n]["begin"] and
              one["end"] == max([tasks[of][n]["end"] for of in ("tasks", "operations") if n in tasks[of]])
              for n, one in tasks["rows"].items()), f"{where}: each task once more, until it is complete", tasks["rows"])
    order = page.run("return app.rows.shown.map(row => row.kind)")
    check("tasks" in order and ("queue" not in order or order.index("tasks") < order.index("queue")),
          f"{where}: above the queues", order)
    kernels = [one for one in tasks["operations"].values() if one["facts"]["kind"] == "kernel"]
    facts = kernels[0]["facts"]
    check(len(kernels) == ROUNDS and facts["name"] == "Kern" and "runtime.c:" in facts["source"] and
          facts["global"] == "64 x 1 x 1" and facts["local"] == "8 x 1 x 1" and facts["arguments"] == "2" and
          facts["device"] == "made up", f"{where}: a node has its kernel, source, ranges, device", facts)
    check(all([["task", one["facts"]["node"]]] == [l for l in one["links"] if l[0] == "task"] for one in kernels),
          f"{where}: an operation is linked to its task", kernels[0]["links"])

    # --- drawn
    drawn = page.run("""
        app.panel.chosenByUser = true;
        app.panel.setHeight(400);
        app.panel.open("graph");
        await app.graph.refresh();
        const {nodes, edges, layout, folded} = app.graph.shown;
        return {folded, nodes: nodes.map(n => [n.words, n.inChain, n.deviceNs]), edges: edges.map(e => [nodes[e.from].words, nodes[e.to].words]),
            right: edges.every(e => layout.x[e.from] < layout.x[e.to]),
            apart: nodes.every((n, i) => nodes.every((m, j) => i === j || Math.abs(layout.x[i] - layout.x[j]) >= GRAPH_WIDTH ||
                Math.abs(layout.y[i] - layout.y[j]) >= GRAPH_HEIGHT)),
            words: document.getElementById("graph").innerText}""")
    number = {f"#{n:,}": n for n in numbers}
    check(not drawn["folded"] and {number[w] for w, _, _ in drawn["nodes"]} == numbers,
          f"{where}: all nodes are drawn", drawn["nodes"])
    check({(number[a], number[b]) for a, b in drawn["edges"]} == edges and drawn["right"] and drawn["apart"],
          f"{where}: with their edges, to the right, and none over another", drawn)
    chain = sorted((place, number[w]) for w, place, _ in drawn["nodes"] if place)
    device = {number[w]: ns for w, _, ns in drawn["nodes"]}
    check(all((a, b) in edges for (_, a), (_, b) in zip(chain, chain[1:])) and
          sum(device[n] for _, n in chain) == paths_ns(graph, device) > 0,
          f"{where}: the longest chain is marked", (chain, device, sorted(edges)))
    check("critical chain" in drawn["words"], f"{where}: and its length said", drawn["words"])
    page.wait("return app.graph.fitted")
    page.still()

    # A click shows the task in the timeline, and the sheet stays.
    x, y, words = page.run("""
        const {shown, view, canvas} = app.graph, box = canvas.getBoundingClientRect();
        const at = shown.nodes.findIndex(n => n.kind === "kernel" && shown.layout.next[shown.nodes.indexOf(n)].length);
        return [box.left + view.x + shown.layout.x[at] * view.scale, box.top + view.y + shown.layout.y[at] * view.scale, shown.nodes[at].words]""")
    browser.move(x, y)
    check("Kern" in page.text("tooltip") and words in page.text("tooltip"), f"{where}: a tooltip", page.text("tooltip"))
    browser.click(x, y)
    page.wait("return app.detail && app.detail.task")
    page.still()
    found = page.run("return [app.detail.task.facts[0].count, app.panel.sheet, app.selected.track.row.kind]")
    check(found == [number[words], "graph", "kernels"], f"{where}: a click selects the task's operation, the graph stays", found)
    arrow = page.run("""
        const colour = rgb(app.style.arrowTask), pane = app.pane;
        const data = pane.overlay.getContext("2d").getImageData(0, 0, pane.overlay.width, pane.overlay.height).data;
        let count = 0;
        for (let i = 0; i < data.length; i += 4)
            count += Math.abs(data[i] - colour[0]) + Math.abs(data[i + 1] - colour[1]) + Math.abs(data[i + 2] - colour[2]) < 12 && data[i + 3] > 200;
        return count""")
    check(arrow > 20, f"{where}: arrows along the edges", arrow)
    browser.press("ArrowRight")
    page.wait("return app.detail && app.detail.task.facts[0].count !== arguments[0]", number[words])
    after = page.run("return app.detail && app.detail.task.facts[0].count")
    check((number[words], after) in edges, f"{where}: an arrow key goes along an edge", (number[words], after))

    # Folded, and from an event's details back.
    browser.click(*page.run("const b = document.getElementById('graph-fold').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]"))
    page.wait("return app.graph.shown.folded")
    places = page.run("return app.graph.shown.nodes.map(n => [n.name, n.count])")
    named = collections.Counter(graph.construct(t)["name"].replace("_ZTS4", "") for t in graph.tasks)
    check({tuple(p) for p in places} >= {(name, count) for name, count in named.items()}, f"{where}: folded by place", (places, named))
    at = page.run("const edge = app.graph.shown.edges.find(e => e.from === e.to); return edge && edge.count")
    check(at == ROUNDS - 1, f"{where}: with how many edges", at)
    one = kernels[3]
    page.run("await app.goTo(0, {track: arguments[0], item: arguments[1]}); document.getElementById('show-graph').click()", one["track"], one["item"])
    check(page.wait("return app.panel.sheet === 'graph' && !app.graph.shown.folded && app.graph.chosen !== null && "
                    "app.graph.shown.nodes[app.graph.chosen].number === arguments[0]", one["index"]),
          f"{where}: from an event to its task in the graph")
    page.wait("return location.hash.includes('w=graph')", seconds=10)
    check(not browser.complaints(), f"{where}: no complaint", browser.complaints())

# --- many: folded at first, a range unfolds them
big = made("many", 500)
for where, page in pages("many"):
    page.run("app.panel.chosenByUser = true; app.panel.open('graph'); await app.graph.refresh()")
    shown = page.run("return [app.graph.shown.folded, app.graph.shown.nodes.length, app.graph.shown.nodes.reduce((sum, n) => sum + n.count, 0)]")
    check(shown[0] and shown[1] < 10 and shown[2] >= 1000, f"{where}: many tasks are folded", shown)
    page.run("app.graph.fold(false); app.graph.colourByTime(true); await app.graph.refresh()")
    address = page.wait("return location.hash.includes('g=tasks~time') && location.href")
    page.run("app.graph.colourByTime(false); app.graph.fold(true); await app.graph.refresh()")
    page.wait("return location.hash.includes('g=places')")
    page.run("location.href = arguments[0]", address)
    check(page.wait("return app.graph.byTime && app.graph.shown && !app.graph.shown.folded"),
          f"{where}: how the graph is drawn is in the address", page.run("return [app.graph.look, location.hash]"))
    page.run("app.graph.colourByTime(false); await app.graph.refresh()")
    shown = page.run("return [app.graph.shown.folded, app.graph.shown.nodes.length]")
    check(not shown[0] and shown[1] >= 1000, f"{where}: or drawn one by one", shown)
    page.wait("return app.graph.fitted")
    page.still()
    shown = page.run("const {view, shown, width} = app.graph, at = shown.nodes.findIndex(n => n.inChain === 1);"
                     "const x = view.x + shown.layout.x[at] * view.scale; return [view.scale, x > 0 && x < width]")
    check(shown[0] > 0.42 and shown[1], f"{where}: of a long graph its begin is shown, with names", shown)
    within = page.run("""
        const times = app.graph.shown.nodes.map(n => n.at).sort((a, b) => a - b);
        app.select({begin: times[10], end: times[30]}, true);
        app.panel.open("graph");
        await app.graph.refresh();
        return app.graph.shown.nodes.length""")
    check(within == 20, f"{where}: those of a selected range alone", within)
    check(not page.browser.complaints(), f"{where}: no complaint", page.browser.complaints())

Page.close_browser()
finish()
