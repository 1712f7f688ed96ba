/* SPDX-License-Identifier: MIT */
#include "trace/external/lttng/read_graph.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "trace/external/lttng/live_session.h"

#define PAUSE_MS 100
#define SILENT_MS 5000
#define LIVE_CLASS "lttng-live"

/* All ports of the source into one muxer: a thread's events may be in any CPU's stream. */
static bool connect(bt_graph *graph, const bt_component_source *source,
		    const bt_component_filter *muxer, uint64_t *next)
{
	bool good = true;

	for (uint64_t i = 0; good && i < bt_component_source_get_output_port_count(source); i++)
		good = bt_graph_connect_ports(
			       graph,
			       bt_component_source_borrow_output_port_by_index_const(source, i),
			       bt_component_filter_borrow_input_port_by_index_const(muxer,
										    (*next)++),
			       NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
	return good;
}

static const bt_component_source *add_source(bt_graph *graph, const bt_plugin *ctf, bool live,
					     const char *input, unsigned number)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(ctf,
								      live ? LIVE_CLASS : "fs");
	const bt_component_source *source = NULL;
	bt_value *parameters = bt_value_map_create(), *inputs = NULL;
	char name[32];

	snprintf(name, sizeof(name), "trace %u", number);
	bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs);
	bt_value_array_append_string_element(inputs, input);
	if (live)
		bt_value_map_insert_string_entry(parameters, "session-not-found-action", "end");
	if (class)
		bt_graph_add_source_component(graph, class, name, parameters, BT_LOGGING_LEVEL_NONE,
					      &source);
	bt_value_put_ref(parameters);
	return source;
}

/* One sink for what comes in the order of time. */
static bool add_muxer(bt_graph *graph, const bt_plugin *utils, unsigned number,
		      const struct read_graph *request, const bt_component_filter **muxer)
{
	const bt_component_class_filter *class =
		bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer");
	const bt_component_sink *sink = NULL;
	char name[32], sink_name[32];

	snprintf(name, sizeof(name), "muxer %u", number);
	snprintf(sink_name, sizeof(sink_name), "session %u", number);
	return class &&
	       !bt_graph_add_filter_component(graph, class, name, NULL, BT_LOGGING_LEVEL_NONE,
					      muxer) &&
	       !bt_graph_add_simple_sink_component(graph, sink_name, NULL, request->consume, NULL,
						   request->user, &sink) &&
	       !bt_graph_connect_ports(
		       graph, bt_component_filter_borrow_output_port_by_index_const(*muxer, 0),
		       bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL);
}

static bool is_of(const struct read_graph *request, const struct trace_folder *folder,
		  const struct host *host)
{
	return (request->kernel_alone ? folder->kernel : folder->ours) &&
	       !strcmp(folder->host, host->name) && !strcmp(folder->boot_id, host->boot_id);
}

/* A muxer for each host: clocks of several boots can't be put in order by it. */
static bool build(bt_graph *graph, const bt_plugin *ctf, const bt_plugin *utils,
		  const struct trace_folders *folders, const struct read_graph *request)
{
	bool good = true;

	for (size_t host = 0; good && host < request->hosts->count; host++) {
		const bt_component_filter *muxer = NULL;
		uint64_t next = 0;

		for (size_t i = 0; good && i < folders->count; i++) {
			const bt_component_source *source;

			if (!is_of(request, &folders->list[i], &request->hosts->list[host]))
				continue;
			source = add_source(graph, ctf, false, folders->list[i].path, (unsigned)i);
			good = source &&
			       (muxer ||
				add_muxer(graph, utils, (unsigned)host, request, &muxer)) &&
			       connect(graph, source, muxer, &next);
		}
	}
	return good;
}

static bool build_live(bt_graph *graph, const bt_plugin *ctf, const bt_plugin *utils,
		       const char *address, const struct read_graph *request)
{
	const bt_component_source *source = add_source(graph, ctf, true, address, 0);
	const bt_component_filter *muxer = NULL;
	uint64_t next = 0;

	return source && add_muxer(graph, utils, 0, request, &muxer) &&
	       connect(graph, source, muxer, &next);
}

/* Until there is no more. Whoever hears nothing of a live session for long looks whether it is
 * there still. */
static bt_graph_run_status run_graph(bt_graph *graph, const bt_plugin *ctf,
				     const struct read_graph *request, const char *from)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};
	bt_graph_run_status status;
	uint64_t heard = 0;
	unsigned silent_ms = 0;

	while ((status = bt_graph_run(graph)) == BT_GRAPH_RUN_STATUS_AGAIN) {
		silent_ms = *request->messages == heard ? silent_ms + PAUSE_MS : 0;
		heard = *request->messages;
		if (request->live && silent_ms >= SILENT_MS) {
			if (live_session_is_gone(
				    bt_plugin_borrow_source_component_class_by_name_const(
					    ctf, LIVE_CLASS),
				    from))
				return BT_GRAPH_RUN_STATUS_OK;
			silent_ms = 0;
		}
		nanosleep(&pause, NULL);
	}
	return status;
}

bool read_graph_run(const struct read_graph *request)
{
	const bt_plugin *ctf = NULL, *utils = NULL;
	bt_graph *graph = bt_graph_create(0);
	bt_graph_run_status status = BT_GRAPH_RUN_STATUS_ERROR;

	bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &ctf);
	bt_plugin_find("utils", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &utils);
	if (ctf && utils && graph &&
	    (request->folders ? build(graph, ctf, utils, request->folders, request)
			      : build_live(graph, ctf, utils, request->from, request)))
		status = run_graph(graph, ctf, request, request->from);
	bt_graph_put_ref(graph);
	bt_plugin_put_ref(ctf);
	bt_plugin_put_ref(utils);
	return status == BT_GRAPH_RUN_STATUS_OK;
}
