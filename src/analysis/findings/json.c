/* SPDX-License-Identifier: MIT */
#include "analysis/findings/json.h"

bool findings_shown(const struct finding *finding, double least_percent)
{
	return finding->always_report || finding->percent >= least_percent;
}

static void json_place(struct json *json, const struct finding *finding)
{
	json_begin_object(json, "where");
	if (finding->pid) {
		json_unsigned(json, "process", finding->pid);
		json_string(json, "process_name", finding->process);
		json_unsigned(json, "thread", finding->tid);
	}
	if (finding->queue)
		json_unsigned(json, "queue", finding->queue);
	if (*finding->device)
		json_string(json, "device", finding->device);
	if (finding->timed) {
		json_signed(json, "begin_ns", finding->begin_ns);
		json_signed(json, "end_ns", finding->end_ns);
	}
	json_end_object(json);
}

/* Of version 0.1, for those who read them: they go with the next. */
static void json_names_before(struct json *json, const struct finding *finding)
{
	json_string(json, "what", finding->what);
	json_string(json, "who", finding->culprit);
	json_string(json, "sure", finding_confidence_before(finding->confidence));
	json_string(json, "why", finding->why);
	json_string(json, "do", finding->suggestion);
}

static void json_series(struct json *json, const char *name, const uint64_t *ns, size_t count)
{
	json_begin_array(json, name);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json, NULL);
		json_unsigned(json, "queues", i + 1);
		json_unsigned(json, "ns", ns[i]);
		json_end_object(json);
	}
	json_end_array(json);
}

void findings_json_print(struct json *json, const struct findings *findings, double least_percent)
{
	json_begin_array(json, "findings");
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (!findings_shown(finding, least_percent))
			continue;
		json_begin_object(json, NULL);
		json_string(json, "name", finding->name);
		json_string(json, "cause", finding->cause);
		json_unsigned(json, "cost_ns", finding->cost_ns);
		json_float(json, "percent", finding->percent, 3);
		json_unsigned(json, "count", finding->count);
		json_string(json, "description", finding->what);
		json_string(json, "object", finding->object);
		json_string(json, "culprits", finding->culprit);
		json_string(json, "confidence", finding_confidence_name(finding->confidence));
		json_string(json, "evidence", finding->why);
		json_string(json, "suggestion", finding->suggestion);
		if (*finding->symptom_of)
			json_string(json, "symptom_of", finding->symptom_of);
		json_names_before(json, finding);
		json_place(json, finding);
		if (finding->replay_count)
			json_series(json, "replay", finding->replay_ns, finding->replay_count);
		json_end_object(json);
	}
	json_end_array(json);
}

void findings_json_replays(struct json *json, const struct findings *findings)
{
	json_begin_array(json, "replays");
	for (size_t i = 0; i < findings->replay_count; i++) {
		const struct findings_replay *replay = &findings->replays[i];

		json_begin_object(json, NULL);
		json_unsigned(json, "process", replay->pid);
		json_unsigned(json, "thread", replay->tid);
		json_unsigned(json, "queue", replay->queue);
		json_string(json, "device", replay->device);
		json_unsigned(json, "cycles", replay->cycles);
		json_unsigned(json, "took_ns", replay->took_ns);
		json_series(json, "estimate", replay->ns, replay->count);
		json_end_object(json);
	}
	json_end_array(json);
}
