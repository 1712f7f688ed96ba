/* SPDX-License-Identifier: MIT */
/* What is above the rows of names: the run, or runs, and what is missing or wrong in their traces. */
"use strict";

const NAMED_MOST = 4;

/* The program without its folders; the session's own name behind it where several have
 * the same program. */
function nameSessions(sessions) {
	const last = (path) => path.replace(/\/+$/, "").replace(/.*\//, "");
	const program = (session) => last(session.program || "");
	for (const session of sessions) {
		const name = program(session), own = last(session.path);
		const alike = sessions.some((other) => other !== session && program(other) === name);
		session.words = visible(!name ? own : alike ? `${name} (${own})` : name);
	}
}

function showRun({sessions}) {
	const one = sessions[0];
	const run = byId("run");
	const names = sessions.map((session) => session.words);
	const exit = one.exit_signal ? `, died of signal ${one.exit_signal}` :
		one.exit_code ? `, exit status ${one.exit_code}` : one.ended ? "" : ", still running when it was read";
	const about = sessions.length > 1 ? `${sessions.length} sessions` :
		`${lengthWords(one.duration_ns)} on ${visible(one.host || "an unknown host")}, ` +
		`${one.events ? plural(one.events, "event") : "no GPU API calls"}${exit}`;
	run.append(element("strong", {}, names.join(" \u00b7 ")), element("span", {class: "dim"}, about));
	run.title = sessions.map((session) => `${session.command}\n${session.start}\n${session.path}`).join("\n\n");
	document.title = names.join(", ") + " \u2013 Tandem";
	/* Where their bands are too narrow for names, the rows have them. */
	const named = sessions.length === 1 ? ["Full trace"] : sessions.length > NAMED_MOST ? [about] : names;
	byId("overview-names").append(...named.map((words) => element("span", {}, words)));
}

/* What is missing or wrong in the trace, never hidden. */
function showNotes({sessions}) {
	const notes = sessions.flatMap((session) => session.notes.map((note) =>
		({...note, of: sessions.length > 1 ? session.words + ": " : ""})));
	const button = byId("notes"), dialog = byId("notes-dialog");
	if (!notes.length)
		return;
	button.hidden = false;
	button.textContent = "\u26a0 " + plural(notes.length, "note");
	button.classList.toggle("warning", notes.some((note) => note.warning));
	dialog.append(element("form", {method: "dialog"},
		element("h2", {id: "notes-title"}, "Trace warnings"),
		element("button", {class: "close", "aria-label": "Close"}, "\u2715")),
	element("ul", {}, ...notes.map((note) =>
		element("li", {class: note.warning ? "warning" : ""}, note.of + visible(note.text)))));
	button.addEventListener("click", () => dialog.showModal());
}
