/* SPDX-License-Identifier: MIT */
/* A session that is still recorded: the server looks again, and the page begins anew with what it
 * then has. What is shown is in the address (address.js) and stays. Rows and events may have other
 * numbers in the next look: while any is chosen, the page only says that there is more. */
"use strict";

const FOLLOW_MS = 1000;

class Follow {
	constructor(app) {
		this.app = app;
		this.more = false;
		if (app.model.look)
			this.timer = setInterval(() => this.look(), FOLLOW_MS);
	}

	/* Whether nothing on the page would be lost or change its meaning. */
	get free() {
		const {app} = this;
		return app.first && !app.selected && !app.measure.active && !document.querySelector("dialog[open]") &&
			!app.rows.all.some((row) => row.pinned || row.chosen || row.folded !== row.foldedAtStart);
	}

	async look() {
		if (document.hidden || this.asking)
			return;
		this.asking = true;
		try {
			const {look, runs} = await this.app.source.follow();
			this.more = look !== this.app.model.look;
			if (this.more && this.free) {
				clearInterval(this.timer);
				this.app.address.write();
				location.reload();
			} else if (!this.more && !runs) {
				clearInterval(this.timer);
			}
			this.app.showState();
		} catch (error) {
			clearInterval(this.timer);
			this.app.fail(error);
		} finally {
			this.asking = false;
		}
	}
}
