#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is said of programs of the corpus, and what must not be (bench/run findings scores all
of them; here stand those whose answer does not hang on the machine's pace).

tandem-test: timeout=300 alone
"""
import concurrent.futures
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import CORPUS, STUB
from kernelside import scope
from tap import check, finish, skip
from traces import record, tandem

BASIC = {"POCL_DEVICES": "basic"}
PTHREAD = {"POCL_DEVICES": "pthread"}
OUTSIDE = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "outside", "outside")
WORKLOADS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "workloads", "workloads")
PRACTICE = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "practice", "practice")
TRIALS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "trials", "trials")
EXAMS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "exams", "exams")
FINALS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "finals", "finals")
DEBATES = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "debates", "debates")
FITTINGS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "fittings", "fittings")
SURVEYS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "surveys", "surveys")
DRILLS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "drills", "drills")
COLLOQUIA = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "colloquia", "colloquia")
SYMPOSIA = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "symposia", "symposia")
AUDITS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "audits", "audits")
HEARINGS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "hearings", "hearings")
REVIEWS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "reviews", "reviews")
INQUESTS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "inquests", "inquests")
INTERVIEWS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "interviews", "interviews")
TUTORIALS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "tutorials", "tutorials")
VIVAS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "vivas", "vivas")
STYLES = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "styles", "styles")
BUILDS = dict(STUB, STUB_BUILD_MS="20")
HAS_POCL = os.path.exists("/etc/OpenCL/vendors/pocl.icd")

# program, its arguments, device, what is said, what is not (at any cost)
CASES = [
    ("wait_event_each", [], STUB, ["waiting/after-each-command"], []),
    ("copy_by_host", [], STUB, ["copies/by-host"], ["transfers/back-and-forth"]),
    ("copy_by_host", ["repaired"], STUB, [], ["copies/by-host", "copies/dominate"]),
    ("copy_by_threads", [], STUB, ["copies/by-host"], []),
    ("copy_by_threads", ["repaired"], STUB, [], ["copies/by-host"]),
    ("read_each", [], STUB, ["copies/unchanged"], ["copies/by-host", "copies/dominate"]),
    ("read_each", ["repaired"], STUB, [], ["copies/by-host", "copies/dominate", "copies/unchanged"]),
    ("read_all", [], STUB, ["copies/dominate"], ["copies/unchanged"]),
    ("read_all", ["repaired"], STUB, [], ["copies/dominate", "copies/unchanged"]),
    ("clean_replace", [], STUB, [], ["copies/by-host", "transfers/back-and-forth"]),
    ("queue_in_loop", [], STUB, ["objects/loop"], []),
    ("queue_in_loop", ["repaired"], STUB, [], ["objects/loop"]),
    ("kernel_in_loop", [], STUB, ["objects/loop"], []),
    ("kernel_in_loop", ["repaired"], STUB, [], ["objects/loop"]),
    ("events_leaked", [], STUB, ["leaks/event"], []),
    ("events_leaked", ["repaired"], STUB, [], ["leaks/event"]),
    ("events_unnamed", [], STUB, ["leaks/event"], []),
    ("events_unnamed", ["repaired"], STUB, [], ["leaks/event"]),
    ("refused_phases", [], STUB, ["errors/call"], []),
    ("refused_phases", ["repaired"], STUB, [], ["errors/call"]),
    ("upload_again", [], STUB, ["copies/unchanged"], ["copies/dominate"]),
    ("upload_again", ["repaired"], STUB, [], ["copies/unchanged"]),
    ("window_again", [], STUB, ["copies/unchanged"], ["copies/by-host"]),
    ("window_again", ["repaired"], STUB, [], ["copies/unchanged"]),
    ("window_by_host", [], STUB, ["copies/by-host"], ["copies/unchanged"]),
    ("window_by_host", ["repaired"], STUB, [], ["copies/by-host", "copies/unchanged"]),
    ("upload_to_new", [], STUB, ["copies/unchanged"], []),
    ("upload_to_new", ["repaired"], STUB, [], ["copies/unchanged"]),
    ("rows_of_one_size", [], PTHREAD, ["transfers/small"], []),
    ("rows_of_one_size", ["repaired"], PTHREAD, [], ["transfers/small"]),
    ("lone_items", [], PTHREAD, ["overlap/one-queue"], []),
    ("lone_items", ["repaired"], PTHREAD, [], ["overlap/one-queue"]),
    ("host_on_results", [], BASIC, ["idle-device/host-busy"], []),
    ("host_on_results", ["repaired"], BASIC, [], ["idle-device/host-busy"]),
    ("image_again", [], BASIC, ["copies/unchanged"], []),
    ("image_again", ["repaired"], BASIC, [], ["copies/unchanged"]),
    ("launch_rows", [], STUB, ["launch/few-groups"], []),
    ("launch_rows", ["repaired"], STUB, [], ["launch/few-groups"]),
    ("bounce", [], STUB, ["transfers/back-and-forth"], ["copies/unchanged"]),
    ("clean_chunks", [], STUB, [], ["copies/unchanged"]),
    ("clean_element", [], STUB, [], ["copies/unchanged"]),
    ("clean_upload", [], STUB, [], ["copies/unchanged"]),
    ("barriers", [], STUB, ["ordering/barriers"], ["ordering/events"]),
    ("barriers", ["repaired"], STUB, [], ["ordering/barriers", "ordering/events"]),
    ("event_chain", [], STUB, ["ordering/events"], ["ordering/barriers"]),
    ("event_chain", ["repaired"], STUB, [], ["ordering/barriers", "ordering/events"]),
    ("shared_input", [], PTHREAD, ["ordering/events"], []),
    ("shared_input", ["repaired"], PTHREAD, [], ["ordering/events"]),
    ("clean_out_of_order", [], STUB, [], ["ordering/barriers", "ordering/events"]),
    ("clean_stream", [], STUB, [], ["copies/dominate", "copies/unchanged",
                                   "transfers/back-and-forth"]),
    ("allocate_sizes", [], STUB, ["allocations/loop"], []),
    ("allocate_sizes", ["repaired"], STUB, [], ["allocations/loop"]),
    ("clean_residual", [], STUB, [], ["idle-device/synchronisation", "overlap/one-queue"]),
    ("clean_events", [], STUB, [], ["leaks/event"]),
    ("clean_retained", [], STUB, [], ["leaks/event", "leaks/memory"]),
    ("prime_size", [], BASIC, ["launch/group-size"], []),
    ("prime_size", ["repaired"], BASIC, [], ["launch/group-size"]),
    ("group_of_one", [], BASIC, ["launch/group-size"], []),
    ("clean_double_buffer", [], STUB, [], ["waiting/after-each-command"]),
    ("build_rates", [], BUILDS, ["builds/first"], []),
    ("build_rates", ["repaired"], BUILDS, [], ["builds/first"]),
    ("clean_two_programs", [], BUILDS, [], ["idle-device/host-calls", "builds/repeated"]),
    ("clean_host", [], STUB, [], ["idle-device/host-busy", "idle-device/synchronisation"]),
    ("callback_heavy", [], BASIC, ["callbacks/heavy"], []),
    ("callback_heavy", ["repaired"], BASIC, [], ["callbacks/heavy"]),
    ("clean_callback", [], BASIC, [], ["callbacks/heavy"]),
    ("clean_map", [], STUB, [], ["overlap/one-queue"]),
    ("clean_pipeline", [], BASIC, [], ["preemption/placement"]),
]
# The same of the programs in C++ (tests/findings/styles).
IN_STYLES = [
    ("fields", [], ["transfers/small"], []),
    ("fields", ["repaired"], [], ["transfers/small"]),
    ("columns", [], ["transfers/small"], []),
    ("columns", ["repaired"], [], ["transfers/small"]),
    ("clean_converge", [], [], ["transfers/small"]),
    ("clean_ring", [], [], ["transfers/back-and-forth"]),
    ("nap", ["repaired"], [], ["waiting/polling"]),
    ("clean_progress", [], [], ["waiting/polling"]),
]
# The same of an outsider's (tests/findings/outside): what was read is copied by the host before it is
# written; it changes a number of what it read; large parts are read, of which a kernel changed some.
IN_OUTSIDE = [
    ("ring_by_host", [], ["copies/by-host"], ["copies/unchanged"]),
    ("ring_by_host", ["repaired"], [], ["copies/by-host"]),
    ("locked_wait", ["repaired"], ["transfers/back-and-forth"], ["copies/unchanged"]),
    ("probe_field", [], ["copies/dominate"], ["copies/unchanged"]),
]
# Of tests/findings/workloads: what a CPU cannot overlap; transfers of 256 KiB are not small; few values of
# 256 KiB change; answers are asked for again and again; kernels are kept apart that are too small, and
# run in turn in one queue.
IN_WORKLOADS = [
    ("clean_cg", [], PTHREAD, [], ["overlap/one-queue"]),
    ("lens_table", [], PTHREAD, ["copies/unchanged"], ["transfers/small", "transfers/slow"]),
    ("clean_patch", [], STUB, [], ["copies/unchanged"]),
    ("jacobi_sweeps", [], STUB, ["waiting/after-each-command"], ["overlap/one-queue"]),
    ("effect_chain", [], BASIC, ["idle-device/host-calls"], []),
    ("effect_chain", ["repaired"], BASIC, [], ["idle-device/host-calls"]),
    ("align_tiles", [], PTHREAD, ["ordering/events"], []),
    ("twin_solvers", [], PTHREAD, ["overlap/one-queue"], []),
    ("twin_solvers", ["repaired"], PTHREAD, [], ["overlap/one-queue"]),
]
# Of tests/findings/practice: an end that is asked for; a native kernel; programs without a kernel; small
# maps; what is sent is new each time; parts of a buffer; a user event that holds back too much; rows of
# a few bytes; a build while the device waits.
IN_PRACTICE = [
    ("stamp_poll", [], STUB, ["waiting/polling"], []),
    ("stamp_poll", ["repaired"], STUB, [], ["waiting/polling"]),
    ("native_seal", [], STUB, ["callbacks/heavy"], []),
    ("native_seal", ["repaired"], STUB, [], ["callbacks/heavy"]),
    ("tap_variants", [], BUILDS, ["builds/first"], []),
    ("tap_variants", ["repaired"], BUILDS, [], ["builds/first"]),
    ("ledger_maps", [], PTHREAD, ["transfers/small"], []),
    ("ledger_maps", ["repaired"], PTHREAD, [], ["transfers/small"]),
    ("parcel_barriers", [], STUB, ["ordering/barriers"], ["copies/unchanged"]),
    ("parcel_barriers", ["repaired"], STUB, [], ["ordering/barriers", "copies/unchanged"]),
    ("region_barriers", [], PTHREAD, ["ordering/barriers"], []),
    ("region_barriers", ["repaired"], PTHREAD, [], ["ordering/barriers"]),
    ("atlas_gate", [], STUB, ["ordering/events"], []),
    ("atlas_gate", ["repaired"], STUB, [], ["ordering/events"]),
    ("volume_face", [], PTHREAD, ["transfers/slow"], []),
    ("volume_face", ["repaired"], PTHREAD, [], ["transfers/slow"]),
    ("sprite_atlas", [], STUB, [], ["transfers/slow"]),
    ("lens_polish", [], dict(STUB, STUB_BUILD_MS="60"), ["idle-device/host-calls"], []),
    ("lens_polish", ["repaired"], dict(STUB, STUB_BUILD_MS="60"), [], ["idle-device/host-calls"]),
]
# Of tests/findings/trials: waits for what was waited for; several events that are asked for in turns; chains that a
# marker joins; chains in one queue; a native kernel behind a wait; what a barrier is for.
IN_TRIALS = [
    ("graph_inputs", [], BASIC, ["waiting/nothing-to-wait-for"], ["idle-device/host-blocked"]),
    ("graph_inputs", ["repaired"], BASIC, [], ["waiting/nothing-to-wait-for"]),
    ("tile_status", [], STUB, ["waiting/polling"], []),
    ("tile_status", ["repaired"], STUB, [], ["waiting/polling"]),
    ("join_markers", [], PTHREAD, ["ordering/events"], []),
    ("join_markers", ["repaired"], PTHREAD, [], ["ordering/events"]),
    ("three_models", [], PTHREAD, ["overlap/one-queue"], []),
    ("three_models", ["repaired"], PTHREAD, [], ["overlap/one-queue"]),
    ("native_grain", [], PTHREAD, ["callbacks/heavy"], []),
    ("native_grain", ["repaired"], PTHREAD, [], ["callbacks/heavy"]),
    ("tile_barriers", ["repaired"], PTHREAD, [], ["ordering/barriers"]),
]
# Of tests/findings/exams: a driver that submits a command when it starts; objects that become more.
IN_EXAMS = [
    ("speculative_tiles", [], STUB, ["shared-device/context"], []),
    ("speculative_tiles", ["repaired"], STUB, [], ["shared-device/context"]),
    ("wrapper_assign", [], STUB, ["leaks/memory"], []),
]
# Of tests/findings/finals: many events that are asked for in turns; a barrier with a list in a queue that keeps the
# order; turns by events; questions next to a build; what three queues read in turns; memory that a read still fills.
IN_FINALS = [
    ("progress_bar", [], PTHREAD, ["waiting/polling"], []),
    ("stencil_marker", [], STUB, ["ordering/barriers"], []),
    ("staging_turns", [], STUB, ["ordering/turns"], []),
    ("staging_turns", ["repaired"], STUB, [], ["ordering/turns"]),
    ("image_views", [], BASIC, ["idle-device/host-calls"], []),
    ("image_views", ["repaired"], BASIC, [], ["idle-device/host-calls"]),
    ("clean_video", [], STUB, [], ["copies/dominate"]),
    ("task_chain", [], STUB, ["ordering/events"], ["copies/unchanged"]),
    ("field_norm", ["repaired"], STUB, [], ["overlap/one-queue"]),
    ("native_pack", [], STUB, ["callbacks/heavy"], []),
    ("fast_build", [], BASIC, ["errors/call"], []),
    ("rejected_frames", [], STUB, ["errors/command"], []),
]
# Of tests/findings/drills: a queue that is not flushed beside one that is; threads that are bound to one CPU.
FLUSHED = dict(STUB, STUB_FLUSH="1")
IN_DRILLS = [("gather_gate", [], FLUSHED, ["idle-device/unflushed"], [])]
# Of tests/findings/colloquia: a queue that is flushed late, right before a wait for another one.
IN_COLLOQUIA = [("late_flush", [], FLUSHED, ["idle-device/unflushed"], []),
                ("late_flush", ["repaired"], FLUSHED, [], ["idle-device/unflushed"])]
# Of tests/findings/symposia: a part of what the host read is changed, and all of it goes back.
IN_SYMPOSIA = [("cavity_walls", [], BASIC, ["transfers/back-and-forth"], []),
               ("cavity_walls", ["repaired"], BASIC, [], ["transfers/back-and-forth"])]
# Of tests/findings/vivas: small reads with nothing larger in their direction; a queue that transferred once and works on
# one place; a barrier, and events, that name their calls; work of the host in place of a kernel that fails;
# memory that is not aligned at all, and none besides.
IN_VIVAS = [
    ("option_book", [], STUB, ["transfers/small"], []),
    ("option_book", ["repaired"], STUB, [], ["transfers/small"]),
    ("trace_slot", [], STUB, ["ordering/turns"], []),
    ("trace_slot", ["repaired"], STUB, [], ["ordering/turns"]),
    ("radar_fences", [], STUB, ["ordering/barriers"], []),
    ("shard_timeline", [], STUB, ["ordering/events"], []),
    ("shard_timeline", ["repaired"], STUB, [], ["ordering/events"]),
    ("group_fallback", [], STUB, ["errors/call"], []),
    ("group_fallback", ["repaired"], STUB, [], ["errors/call"]),
    ("packet_payload", [], STUB, ["transfers/misaligned"], []),
    ("packet_payload", ["repaired"], STUB, [], ["transfers/misaligned"]),
    # The state of a step is read as a whole, and the next step begins with it.
    ("shown_slice", [], STUB, ["copies/dominate"], ["overlap/one-queue"]),
]
# Steps that need each other: what a result says comes next, and what is read and written again; lines of a log that
# repeat by chance.
IN_AUDITS = [("clean_depths", [], STUB, [], ["overlap/one-queue"]),
             ("speech_windows", [], BASIC, ["errors/call"], [])]
# A kernel that is refused as it is, and launched in pieces.
IN_REVIEWS = [("sky_transform", [], BASIC, ["errors/call"], []),
              ("sky_transform", ["repaired"], BASIC, [], ["errors/call"]),
              # Launches for a number that counts, none of which needs another.
              ("strike_ladder", [], PTHREAD, ["idle-device/launch"], []),
              ("strike_ladder", ["repaired"], PTHREAD, [], ["idle-device/launch"])]
IN_INQUESTS = [("clean_yield", [], STUB, [], ["overlap/one-queue"]),
               ("log_lines", [], STUB, ["transfers/small"], ["copies/unchanged"]),
               ("season_table", [], STUB, ["errors/call"], [])]
# A host that works in a kernel's place: on what it fetches first, and before it sends the next data.
IN_HEARINGS = [("oven_zones", [], STUB, ["errors/call"], [])]
# Few large buffers in a loop, next to as many of their size that are there all the time.
IN_REVIEWS += [("restore_volume", [], BASIC, ["allocations/loop"], []),
               ("restore_volume", ["repaired"], BASIC, [], ["allocations/loop"])]
# The same tables through mapped memory; a number in shared memory that the host maps.
IN_FITTINGS = [("lens_tables", [], STUB, ["copies/unchanged"], []),
               ("lens_tables", ["repaired"], STUB, [], ["copies/unchanged"]),
               ("material_link", [], BASIC, ["builds/repeated"], []),
               ("spike_inject", [], STUB, ["idle-device/synchronisation"], ["copies/unchanged"])]
# Steps in place, with their number.
IN_DEBATES = [("clean_lattice", [], STUB, [], ["idle-device/launch"])]
IN_TUTORIALS = [("cloth_steps", [], STUB, ["copies/by-host"], ["overlap/one-queue"])]
IN_INTERVIEWS = [("signal_box", [], STUB, ["transfers/back-and-forth"], []),
                 ("signal_box", ["repaired"], STUB, [], ["transfers/back-and-forth"]),
                 # Small transfers before the first kernel, once in the run.
                 ("clean_wavefront", [], STUB, [], ["transfers/small"])]
if scope()[0] == "system":
    IN_INTERVIEWS += [("ballot_count", [], STUB, ["idle-device/host-blocked"], []),
                      ("ballot_count", ["repaired"], STUB, [], ["idle-device/host-blocked"])]
IN_SURVEYS = []
if scope()[0] == "system":
    # A lock that is not fair: one thread sleeps for its first turn until the other one is done with half of all.
    IN_SURVEYS += [("quote_desk", [], STUB, ["idle-device/host-blocked"], []),
                   ("quote_desk", ["repaired"], STUB, [], ["idle-device/host-blocked"])]
    IN_DRILLS.append(("pinned_pool", [], STUB, ["preemption/placement"], []))
if scope()[0] != "none":
    IN_STYLES.append(("nap", [], ["waiting/polling"], []))
if scope()[0] == "system":
    CASES.append(("sleep_between", [], STUB, ["idle-device/host-blocked"], []))
    CASES.append(("clean_halves", [], STUB, [], ["idle-device/host-blocked"]))
    # It fetches what the other one computes: that is no lock, nor are these parts of one transfer.
    CASES.append(("clean_fetcher", [], STUB, [], ["transfers/small"]))
    # The wait is another thread's, which wakes the one that enqueues.
    for name in ("wait_callback", "wait_elsewhere"):
        CASES += [(name, [], STUB, ["idle-device/synchronisation"], []),
                  (name, ["repaired"], STUB, [], ["idle-device/synchronisation", "idle-device/host-blocked"])]
    IN_TRIALS.append(("slot_queue", [], STUB, ["idle-device/host-blocked"], []))
    CASES += [("allocate_in_loop", [], BASIC, ["allocations/loop"], []),
              ("allocate_in_loop", ["repaired"], BASIC, [], ["allocations/loop"]),
              ("replaced_buffer", [], BASIC, ["allocations/loop"], []),
              ("replaced_buffer", ["repaired"], BASIC, [], ["allocations/loop"])]
PROGRAMS = [(CORPUS, *case) for case in CASES]
for program, rows in ((STYLES, IN_STYLES), (OUTSIDE, IN_OUTSIDE)):
    PROGRAMS += [(program, *row[:2], STUB, *row[2:]) for row in rows]
for program, rows in ((WORKLOADS, IN_WORKLOADS), (PRACTICE, IN_PRACTICE), (TRIALS, IN_TRIALS), (EXAMS, IN_EXAMS),
                      (FINALS, IN_FINALS), (DRILLS, IN_DRILLS), (VIVAS, IN_VIVAS), (COLLOQUIA, IN_COLLOQUIA),
                      (SYMPOSIA, IN_SYMPOSIA), (AUDITS, IN_AUDITS), (INQUESTS, IN_INQUESTS),
                      (TUTORIALS, IN_TUTORIALS), (HEARINGS, IN_HEARINGS), (INTERVIEWS, IN_INTERVIEWS),
                      (REVIEWS, IN_REVIEWS), (DEBATES, IN_DEBATES), (FITTINGS, IN_FITTINGS),
                      (SURVEYS, IN_SURVEYS)):
    PROGRAMS += [(program, *row) for row in rows]
if not os.access(STYLES, os.X_OK):
    skip("programs in C++", "no C++ compiler, or no CL/opencl.hpp")
    PROGRAMS = [case for case in PROGRAMS if case[0] != STYLES]



def title(name, arguments):
    return f"{name} {' '.join(arguments)}".strip()


def said_of(case):
    """The status of its recording, and what is said of it."""
    program, name, arguments, device = case[:4]
    path = title(name, arguments).replace(" ", "-")
    status = record(path, [program, name, *arguments], "--args", "full", env=device)
    return status, tandem("findings", "--all", "--format", "json", path)


# On a device that takes one CPU or none, as many run at once as there are CPUs.
AT_ONCE = [case for case in PROGRAMS if case[3] is STUB or case[3] is BASIC and HAS_POCL]
with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
    SAID = dict(zip(map(PROGRAMS.index, AT_ONCE), pool.map(said_of, AT_ONCE)))

for number, (program, name, arguments, device, wanted, unwanted) in enumerate(PROGRAMS):
    where = title(name, arguments)
    if device in (BASIC, PTHREAD) and not HAS_POCL:
        skip(where, "PoCL is not installed")
        continue
    status, said = SAID.get(number) or said_of(PROGRAMS[number])
    if not check(status == 0 and said.returncode == 0, f"{where} is recorded", said.stderr):
        continue
    shown = json.loads(said.stdout)["findings"]
    found = [f"{f['name']}/{f['cause']}" for f in shown]
    # Where each thing is done by one function, it is named.
    for f in shown:
        if f["name"] == "copies" or f["cause"] == "synchronisation":
            check(f["object"].startswith("event_callback" if name == "wait_callback" else "cl"), f"{where}: {f['name']}/{f['cause']} names the call",
                  f["object"])
        if f["cause"] == "launch" and " was launched " in f["description"]:
            check(f["object"] in f["description"].split(), f"{where}: the object is the kernel of the sentence", f)
        if f["cause"] == "host-blocked" and name == "clean_fetcher":
            check("take turns" not in f["description"], "who fetches what another one computes waits for it", f)
        if name == "refused_phases" and (f["name"], f["cause"]) in (("errors", "call"), ("waiting", "after-each-command")):
            check("several times in a row" in f["evidence"] or f["symptom_of"] == "errors: call",
                  "the host drives what a kernel would do, and waits for each step", f)
        if f["cause"] == "repeated" and name == "material_link":
            check("(clCompileProgram, clLinkProgram)" in f["description"], "what compiles and links again builds again", f)
        if f["cause"] == "few-groups" and name == "align_tiles":
            check(f["symptom_of"] == "ordering: events", "what is kept apart is no fault of its size", f)
        if f["cause"] == "host-blocked" and name in ("sleep_between", "slot_queue"):
            # A timer that finds its CPU idle wakes nobody that the kernel would record.
            check(f["culprits"].startswith("no thread: a timer") or not f["culprits"]
                  if name == "sleep_between" else "of the program, which woke it" in f["culprits"],
                  f"{where}: who ended the host's sleep", f)
        if f["cause"] == "host-blocked" and name == "ballot_count":
            check("3 threads" in f["description"] and "take turns" in f["description"] and
                  f["percent"] > 25, f"{where}: a lock over each thread's commands", f)
        if f["cause"] == "host-blocked" and name == "quote_desk":
            check("2 threads" in f["description"] and "take turns" in f["description"] and
                  f["percent"] > 30, f"{where}: a lock over whole requests", f)
        check(" 1 work-items" not in f["description"], f"{where}: {f['name']}/{f['cause']}: one is no plural", f["description"])
        if f["cause"] == "loop" and f["name"] == "allocations" and name == "replaced_buffer":
            check("page faults" in f["evidence"], f"{where}: with the first touches of such memory", f)
        # Sixteen builds failed, and as many did not; frames come 4 ms late.
        if name == "fast_build" and f["cause"] == "first":
            check(f["count"] == 16, "builds that failed are none that could be kept", f)
        if name == "rejected_frames" and f["cause"] == "command":
            check(f["cost_ns"] >= 80 * 4e6, "an error costs all the time until the call succeeds", f)
        if name == "pinned_pool" and f["cause"] == "in-calls":
            check(len(os.sched_getaffinity(0)) == 1 or "ran on CPU" in f["suggestion"], "what its threads are bound to",
                  f["suggestion"])
        if name == "trace_slot" and f["cause"] == "turns":
            check("(WriteBuffer)" in f["description"] and "(migrate)" in f["description"], "turns name both commands",
                  f["description"])
        if (name, f["cause"]) in (("radar_fences", "barriers"), ("shard_timeline", "events")):
            check(f["object"].startswith("clEnqueue") and f["object"] in f["description"],
                  f"{where}: what keeps commands apart is named", f)
        if name == "group_fallback" and f["name"] == "errors":
            check(f["count"] == 100 and f["cost_ns"] > 100 * 1e6 and "the thread then worked" in f["evidence"],
                  "the host's work in place of a kernel is the error's cost", f)
        if name in ("season_table", "oven_zones") and f["name"] == "errors":
            check(f["percent"] > 20 and "the thread then worked" in f["evidence"], f"{where}: so it is there", f)
        for other, words in (("sky_transform", "launched in pieces"), ("speech_windows", "the difference is the cost")):
            if name == other and f["name"] == "errors":
                check(f["percent"] > 5 and words in f["evidence"], f"{where}: what is done instead is its cost", f)
        if (name, f["cause"]) in (("sky_transform", "launch"), ("speech_windows", "unchanged")):
            check(f.get("symptom_of") == "errors: call", f"{where}: {f['cause']} comes of it", f)
        if name == "group_fallback" and f["cause"] == "host-busy" and "repaired" not in arguments:
            check(f["symptom_of"] == "errors: call", "... and comes of it", f)
        # Not the one that ends the program, of which it has one as well.
        if f["cause"] == "after-each-command" and name == "wait_event_each":
            check(f["object"] == "clWaitForEvents", f"{where}: names the wait", f["object"])
    for one in wanted:
        check(one in found, f"{where}: {one}", found)
    for one in unwanted:
        check(one not in found, f"{where}: no {one}", found)
finish()
