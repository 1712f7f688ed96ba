/* SPDX-License-Identifier: MIT */
/* Light or dark: as the system wants it, or as it was chosen. The colours for what is drawn come from
 * style.css. */
"use strict";

class Theme {
	constructor(app) {
		this.app = app;
		this.system = matchMedia("(prefers-color-scheme: dark)");
		this.chosen = false;
		this.dark = false;
		this.style = {};
		this.set(null);
		this.system.addEventListener("change", () => {
			if (!this.chosen)
				this.set(null);
			app.redraw();
		});
	}

	/* null: as the system wants it. */
	set(theme) {
		const {app, system} = this;
		const dark = theme ? theme === "dark" : system.matches;
		this.chosen = theme !== null;
		document.documentElement.dataset.theme = dark ? "dark" : "light";
		const computed = getComputedStyle(document.documentElement);
		const style = {};
		for (const name of ["text", "dim", "row", "group", "focus", "line", "grid", "accent", "onAccent",
			"hover", "outside", "shade", "measure", "cursor", "match", "finding", "arrow", "arrowBack",
			"arrowWait", "arrowTask", "badge", "tick", "coverFill", "coverLine", "counterFill", "counterLine",
			"activityCalls", "activityDevice", "hatchLine"])
			style[name] = computed.getPropertyValue("--" + name.replace(/[A-Z]/g, (c) => "-" + c.toLowerCase())).trim();
		style.hatch = hatchPattern(style.hatchLine);
		this.style = style;
		this.dark = dark;
		app.painter.setStyle(style);
		app.overviewPainter.setStyle(style);
	}

	toggle() {
		this.set(this.dark ? "light" : "dark");
		this.app.redraw();
	}
}

function hatchPattern(colour) {
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = 8;
	const context = canvas.getContext("2d");
	context.strokeStyle = colour;
	context.lineWidth = 2;
	context.beginPath();
	for (const x of [-8, 0, 8]) {
		context.moveTo(x, 8);
		context.lineTo(x + 8, 0);
	}
	context.stroke();
	return context.createPattern(canvas, "repeat");
}
