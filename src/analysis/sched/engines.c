/* SPDX-License-Identifier: MIT */
#include "analysis/sched/engines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/engine_rules.h"
#include "util/array.h"
#include "util/keyed_row.h"

/* More in flight than any driver takes: their ends are not recorded. */
#define MOST_JOBS 1000000u
#define UNSEEN INT64_MIN

struct engines_kind {
	const struct tracepoint *kind; /* NULL: not looked at yet */
	struct engine_meaning meaning;
};

void engines_init(struct engines *engines, int64_t start_ns, engines_who *who,
		  engines_change *changed, void *caller)
{
	*engines = (struct engines){.start_ns = start_ns,
				    .who = who,
				    .changed = changed,
				    .caller = caller,
				    .range = RANGE_WHOLE};
}

void engines_free(struct engines *engines)
{
	intern_free(&engines->names);
	free(engines->engines);
	free(engines->users);
	free(engines->jobs);
	free(engines->kinds);
	map_free(&engines->by_name);
	map_free(&engines->by_user);
	map_free(&engines->by_job);
	*engines = (struct engines){.count = 0};
}

static void note_most(struct engine *engine)
{
	if (engine->host > engine->host_most)
		engine->host_most = engine->host;
	if (engine->device > engine->device_most)
		engine->device_most = engine->device;
}

/* Counts what the engine held since the last time. */
static void advance(const struct engines *engines, struct engine *engine, int64_t ns)
{
	uint64_t past = range_within(&engines->range, engine->since, ns);

	if (past && !engine->unknown)
		note_most(engine);
	if (engine->unknown) {
		engine->unknown_ns += past;
	} else {
		engine->host_area += engine->host * past;
		engine->device_area += engine->device * past;
		engine->busy_ns += engine->device ? past : 0;
	}
	if (ns > engine->since)
		engine->since = ns;
	engine->unknown = false;
}

static void emit(struct engines *engines, uint32_t index, int64_t ns)
{
	struct engine *engine = &engines->engines[index];

	if (range_holds(&engines->range, ns))
		note_most(engine);
	if (engines->changed)
		engines->changed(engines->caller, index, ns);
}

static const struct engine_meaning *meaning_of(struct engines *engines,
					       const struct tracepoint *kind)
{
	struct engines_kind *known;

	if (array_reserve(&engines->kinds, &engines->kind_capacity, kind->index + 1,
			  sizeof(*engines->kinds))) {
		engines->failed = -ENOMEM;
		return NULL;
	}
	for (; engines->kind_count <= kind->index; engines->kind_count++)
		engines->kinds[engines->kind_count] = (struct engines_kind){.kind = NULL};
	known = &engines->kinds[kind->index];
	if (known->kind != kind)
		*known = (struct engines_kind){kind, engine_meaning_of(kind)};
	return known->meaning.step == ENGINE_NO_STEP ? NULL : &known->meaning;
}

/* The numbers of i915 and of the DRM scheduler are drawn from one counter of the
 * kernel (dma_fence_context_alloc), so that a signaled fence finds its job whoever
 * tells of it. Virtio's are its own. */
static uint64_t key_of(const struct engine_meaning *meaning, const struct tracepoint_data *data)
{
	uint64_t own = meaning->family == ENGINE_VIRTIO ? UINT64_C(1) << 63 : 0;

	if (meaning->fence)
		return tracepoint_number(meaning->fence, data);
	/* Sequence numbers of fences are compared by their lower 32 bits, too. */
	return own | tracepoint_number(meaning->context, data) << 32 |
	       (uint32_t)tracepoint_number(meaning->number, data);
}

static void add_value(char *out, size_t bytes, const struct tracepoint_field *field,
		      const struct tracepoint_data *data)
{
	size_t used = strlen(out), length;
	const char *text;

	if (field->kind == TRACEPOINT_STRING) {
		text = tracepoint_string(field, data, &length);
		snprintf(out + used, bytes - used, "%.*s", (int)length, text);
	} else if (field->kind == TRACEPOINT_ADDRESS) {
		snprintf(out + used, bytes - used, "ring at 0x%" PRIx64,
			 tracepoint_number(field, data));
	} else {
		snprintf(out + used, bytes - used, "%" PRIu64, tracepoint_number(field, data));
	}
}

static void engine_name(const struct engine_meaning *meaning, const struct tracepoint_data *data,
			char *out, size_t bytes)
{
	const struct tracepoint_field *device = meaning->device;
	const char *class;

	out[0] = '\0';
	/* The first of several graphics cards is called by no number. */
	if (device && (device->kind == TRACEPOINT_STRING || tracepoint_number(device, data))) {
		if (device->kind != TRACEPOINT_STRING)
			snprintf(out, bytes, "card ");
		add_value(out, bytes, device, data);
		snprintf(out + strlen(out), bytes - strlen(out), " ");
	}
	if (meaning->family != ENGINE_I915) {
		add_value(out, bytes, meaning->ring, data);
		return;
	}
	class = engine_class_name(tracepoint_number(meaning->class, data));
	if (class)
		snprintf(out + strlen(out), bytes - strlen(out), "%s", class);
	else
		add_value(out, bytes, meaning->class, data);
	add_value(out, bytes, meaning->instance, data);
}

static uint32_t engine_of(struct engines *engines, const struct tracepoint *kind,
			  const struct engine_meaning *meaning, const struct tracepoint_data *data,
			  int64_t ns)
{
	struct engine fresh = {.since = engines->start_ns < ns ? engines->start_ns : ns,
			       .free_ns = INT64_MIN};
	const struct engine *engine;
	uint32_t driver, called;
	char name[160];

	engine_name(meaning, data, name, sizeof(name));
	if (intern_add(&engines->names, kind->system, strlen(kind->system), &driver) ||
	    intern_add(&engines->names, name, strlen(name), &called))
		goto failed;
	fresh.driver = intern_text(&engines->names, driver);
	fresh.name = intern_text(&engines->names, called);
	engine = keyed_row(&engines->by_name, (uint64_t)driver << 32 | called, &engines->engines,
			   &engines->capacity, &engines->count, &fresh, sizeof(fresh));
	if (engine)
		return (uint32_t)(engine - engines->engines);
failed:
	engines->failed = -ENOMEM;
	return ENGINES_NONE;
}

static uint32_t user_row(struct engines *engines, uint32_t engine, uint32_t pid, uint32_t name)
{
	/* One whose number is not known goes by its name. */
	uint64_t key = (uint64_t)engine << 48 ^ (uint64_t)pid << 24 ^ (pid ? 0 : name);
	const struct engine_user fresh = {.engine = engine, .pid = pid, .name = name};
	const struct engine_user *user =
		keyed_row(&engines->by_user, key, &engines->users, &engines->user_capacity,
			  &engines->user_count, &fresh, sizeof(fresh));

	if (user)
		return (uint32_t)(user - engines->users);
	engines->failed = -ENOMEM;
	return ENGINES_NONE;
}

static uint32_t user_of(struct engines *engines, uint32_t engine, uint32_t tid)
{
	const char *name = "";
	uint32_t pid = 0, called;

	if (engines->who)
		engines->who(engines->caller, tid, &pid, &name);
	else
		pid = tid;
	if (intern_add(&engines->names, name, strlen(name), &called)) {
		engines->failed = -ENOMEM;
		return ENGINES_NONE;
	}
	return user_row(engines, engine, pid, called);
}

static struct engines_job *job_add(struct engines *engines, uint64_t key)
{
	uint32_t index = engines->free_jobs;

	if (!index) {
		if (array_reserve(&engines->jobs, &engines->job_capacity, engines->job_count + 1,
				  sizeof(*engines->jobs)))
			goto failed;
		index = (uint32_t)++engines->job_count;
		engines->jobs[index - 1] = (struct engines_job){.next_free = 0};
	}
	if (map_set(&engines->by_job, key, index - 1))
		goto failed;
	engines->free_jobs = engines->jobs[index - 1].next_free;
	engines->jobs[index - 1] =
		(struct engines_job){.key = key, .queued_ns = UNSEEN, .handed_ns = UNSEEN};
	return &engines->jobs[index - 1];
failed:
	engines->failed = -ENOMEM;
	return NULL;
}

static void job_remove(struct engines *engines, struct engines_job *job)
{
	map_remove(&engines->by_job, job->key);
	job->next_free = engines->free_jobs;
	engines->free_jobs = (uint32_t)(job - engines->jobs) + 1;
}

static void user_add(struct engine_user *user, const struct engines_job *job, int64_t begun,
		     int64_t ns)
{
	user->jobs++;
	if (job->handed_ns == UNSEEN) {
		user->unsplit_ns += (uint64_t)(ns - job->queued_ns);
		return;
	}
	if (job->queued_ns != UNSEEN)
		user->host_ns += (uint64_t)(job->handed_ns - job->queued_ns);
	user->device_ns += (uint64_t)(begun - job->handed_ns);
	user->executing_ns += (uint64_t)(ns - begun);
}

static void job_done(struct engines *engines, struct engines_job *job, int64_t ns)
{
	struct engine *engine = &engines->engines[job->engine];
	struct engine_user *user = &engines->users[job->user];
	bool split = job->handed_ns != UNSEEN;
	int64_t begun = !split				   ? job->queued_ns
			: engine->free_ns > job->handed_ns ? engine->free_ns
							   : job->handed_ns;

	advance(engines, engine, ns);
	if (range_holds(&engines->range, begun)) {
		engine->jobs++;
		user_add(user, job, begun, ns);
	}
	if (split) {
		engine->device--;
		engine->free_ns = ns;
	} else {
		engine->host--;
	}
	emit(engines, job->engine, ns);
	job_remove(engines, job);
}

/* Balanced: another engine than was thought takes it. */
static int job_move(struct engines *engines, struct engines_job *job, uint32_t to, int64_t ns)
{
	struct engine_user user = engines->users[job->user];
	uint32_t row = user_row(engines, to, user.pid, user.name);

	if (row == ENGINES_NONE)
		return engines->failed;
	advance(engines, &engines->engines[job->engine], ns);
	engines->engines[job->engine].host--;
	emit(engines, job->engine, ns);
	advance(engines, &engines->engines[to], ns);
	engines->engines[to].host++;
	job->engine = to;
	job->user = row;
	return 0;
}

static int job_begin(struct engines *engines, const struct tracepoint *kind,
		     const struct engine_meaning *meaning, const struct tracepoint_data *data,
		     struct engines_job *job, uint64_t key, int64_t ns, uint32_t tid)
{
	uint32_t index = engine_of(engines, kind, meaning, data, ns), user;
	struct engine *engine;

	/* Queued twice, or handed over twice: the first counts. */
	if (job && (meaning->step == ENGINE_QUEUE || job->handed_ns != UNSEEN))
		return 0;
	if (index == ENGINES_NONE)
		return engines->failed;
	if (!job) {
		user = user_of(engines, index, tid);
		job = user == ENGINES_NONE ? NULL : job_add(engines, key);
		if (!job)
			return engines->failed;
		job->engine = index;
		job->user = user;
	} else if (job->engine != index && job_move(engines, job, index, ns)) {
		return engines->failed;
	}
	engine = &engines->engines[index];
	advance(engines, engine, ns);
	if (meaning->step == ENGINE_QUEUE) {
		job->queued_ns = ns;
		engine->host++;
	} else {
		engine->host -= job->queued_ns != UNSEEN;
		engine->device++;
		job->handed_ns = ns;
	}
	emit(engines, index, ns);
	return 0;
}

/* Preempted: it waits for the driver once more. */
static void job_back(struct engines *engines, struct engines_job *job, int64_t ns)
{
	struct engine *engine = &engines->engines[job->engine];

	if (job->handed_ns == UNSEEN)
		return;
	advance(engines, engine, ns);
	engine->device--;
	engine->host++;
	if (job->queued_ns == UNSEEN)
		job->queued_ns = job->handed_ns;
	job->handed_ns = UNSEEN;
	engine->free_ns = ns;
	emit(engines, job->engine, ns);
}

static void drop_jobs(struct engines *engines, int64_t ns, bool unknown)
{
	map_clear(&engines->by_job);
	engines->job_count = 0;
	engines->free_jobs = 0;
	for (size_t i = 0; i < engines->count; i++) {
		struct engine *engine = &engines->engines[i];

		advance(engines, engine, ns);
		if (range_holds(&engines->range, ns))
			engine->dropped += engine->host + engine->device;
		engine->host = engine->device = 0;
		engine->free_ns = INT64_MIN;
		engine->unknown = unknown;
		emit(engines, (uint32_t)i, ns);
	}
}

/* Of the same jobs the DRM scheduler tells more, and by other numbers in older
 * kernels. What amdgpu has told so far, at most a job, is taken back. */
static void scheduler_tells(struct engines *engines, int64_t ns)
{
	engines->scheduler = true;
	for (size_t i = 0; i < engines->count; i++) {
		if (!strcmp(engines->engines[i].driver, "amdgpu")) {
			drop_jobs(engines, ns, false);
			return;
		}
	}
}

int engines_event(struct engines *engines, int64_t ns, uint32_t tid, const struct tracepoint *kind,
		  const struct tracepoint_data *data)
{
	const struct engine_meaning *meaning = meaning_of(engines, kind);
	struct engines_job *job;
	uint64_t key, index;

	if (!meaning || engines->failed)
		return engines->failed;
	if (meaning->family == ENGINE_SCHEDULER && !engines->scheduler)
		scheduler_tells(engines, ns);
	if (meaning->family == ENGINE_AMDGPU && engines->scheduler)
		return 0;
	key = key_of(meaning, data);
	index = map_get(&engines->by_job, key);
	job = index == MAP_NONE ? NULL : &engines->jobs[index];
	switch (meaning->step) {
	case ENGINE_QUEUE:
	case ENGINE_HAND:
		if (engines->by_job.count >= MOST_JOBS)
			engines_lost(engines, ns), job = NULL;
		return job_begin(engines, kind, meaning, data, job, key, ns, tid);
	case ENGINE_BACK:
		if (job && meaning->flag && tracepoint_number(meaning->flag, data))
			job_done(engines, job, ns);
		else if (job)
			job_back(engines, job, ns);
		return 0;
	case ENGINE_DONE:
		if (job)
			job_done(engines, job, ns);
		return 0;
	case ENGINE_NO_STEP:
		break;
	}
	return 0;
}

void engines_lost(struct engines *engines, int64_t ns)
{
	drop_jobs(engines, ns, true);
}

void engines_finish(struct engines *engines, int64_t end_ns)
{
	for (size_t i = 0; i < engines->count; i++) {
		bool unknown = engines->engines[i].unknown;

		advance(engines, &engines->engines[i], end_ns);
		engines->engines[i].unknown = unknown;
	}
}
