/* SPDX-License-Identifier: MIT */
/* Findings as JSON, and which of them are worth showing. */
#ifndef TANDEM_ANALYSIS_FINDINGS_JSON_H
#define TANDEM_ANALYSIS_FINDINGS_JSON_H

#include "analysis/findings/finding.h"
#include "util/json.h"

/* Whether it is dear enough, or matters whatever it cost. */
bool findings_shown(const struct finding *finding, double least_percent);

/* A member `findings`: an array of objects, of all that are dear enough. */
void findings_json_print(struct json *json, const struct findings *findings, double least_percent);

/* A member `replays`: what several queues would bring to each thread and queue. */
void findings_json_replays(struct json *json, const struct findings *findings);

#endif
