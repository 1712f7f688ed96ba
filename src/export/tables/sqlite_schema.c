/* SPDX-License-Identifier: MIT */
#include "export/tables/sqlite_schema.h"

#include <string.h>

static const char *type_name(enum table_type type)
{
	return type == TABLE_TEXT ? "TEXT" : type == TABLE_REAL ? "REAL" : "INTEGER";
}

void sqlite_schema_table(struct text *sql, const struct table *table)
{
	text_format(sql, "CREATE TABLE %s (%s%s\n", table->name, *table->words ? " -- " : "",
		    table->words);
	for (unsigned i = 0; i < table->count; i++) {
		const struct table_column *column = &table->columns[i];

		text_format(sql, "  \"%s\" %s%s%s%s%s\n", column->name, type_name(column->type),
			    !strcmp(column->name, "id") ? " PRIMARY KEY" : "",
			    i + 1 < table->count ? "," : "", *column->words ? " -- " : "",
			    column->words);
	}
	text_add_string(sql, ")");
}

void sqlite_schema_insert(struct text *sql, const struct table *table)
{
	text_format(sql, "INSERT INTO %s VALUES (", table->name);
	for (unsigned i = 0; i < table->count; i++)
		text_format(sql, "%s?%u", i ? "," : "", i + 1);
	text_add_char(sql, ')');
}

const char sqlite_schema_indices[] =
	"CREATE INDEX api_calls_by_name ON api_calls (name);"
	"CREATE INDEX api_calls_by_thread ON api_calls (thread, begin_ns);"
	"CREATE INDEX api_calls_by_time ON api_calls (begin_ns);"
	"CREATE INDEX device_ops_by_name ON device_ops (name);"
	"CREATE INDEX device_ops_by_queue ON device_ops (process, queue, start_ns);"
	"CREATE INDEX device_ops_by_device ON device_ops (device, start_ns);"
	"CREATE INDEX device_ops_by_call ON device_ops (call);"
	"CREATE INDEX device_ops_by_op ON device_ops (process, op);"
	"CREATE INDEX ranges_by_name ON ranges (name);"
	"CREATE INDEX ranges_by_thread ON ranges (thread, begin_ns);"
	"CREATE INDEX range_devices_by_range ON range_devices (\"range\");"
	"CREATE INDEX external_ids_by_op ON external_ids (process, op);"
	"CREATE INDEX device_ops_by_node ON device_ops (process, node);"
	"CREATE INDEX task_nodes_by_number ON task_nodes (process, number);"
	"CREATE INDEX memory_by_number ON memory (number);"
	"CREATE INDEX thread_states_by_thread ON thread_states (process, tid, begin_ns);"
	"CREATE INDEX thread_states_by_time ON thread_states (begin_ns);";

const char sqlite_schema_views[] =
	"CREATE VIEW calls AS -- api_calls with who made them\n"
	"  SELECT c.*, t.tid, t.name AS thread_name, t.process, p.pid, p.name AS process_name\n"
	"  FROM api_calls c JOIN threads t ON t.id = c.thread JOIN processes p ON p.id = t.process;"
	"CREATE VIEW ops AS -- device_ops with their devices, waits and rates\n"
	"  SELECT o.*, d.name AS device_name, p.pid,\n"
	"    submitted_ns - queued_ns AS host_queue_ns, start_ns - submitted_ns AS device_queue_ns,\n"
	"    CASE WHEN duration_ns > 0 AND bytes > 0 THEN 1.0 * bytes / duration_ns END AS gb_per_s\n"
	"  FROM device_ops o JOIN processes p ON p.id = o.process\n"
	"    LEFT JOIN devices d ON d.id = o.device;"
	"CREATE VIEW api_summary AS -- by function\n"
	"  SELECT domain, name, count(*) AS calls, sum(failed) AS errors,\n"
	"    sum(duration_ns) AS total_ns, avg(duration_ns) AS mean_ns,\n"
	"    min(duration_ns) AS min_ns, max(duration_ns) AS max_ns\n"
	"  FROM api_calls GROUP BY domain, name ORDER BY total_ns DESC;"
	"CREATE VIEW op_summary AS -- by device, kind and name\n"
	"  SELECT o.domain, d.name AS device, kind, o.name, count(*) AS count,\n"
	"    sum(duration_ns) AS total_ns, avg(duration_ns) AS mean_ns,\n"
	"    min(duration_ns) AS min_ns, max(duration_ns) AS max_ns, sum(bytes) AS bytes\n"
	"  FROM device_ops o LEFT JOIN devices d ON d.id = o.device WHERE o.seen_ns IS NOT NULL\n"
	"  GROUP BY o.domain, o.device, kind, o.name ORDER BY total_ns DESC;"
	"CREATE VIEW queue_waits AS -- the three zones of a queue's commands\n"
	"  SELECT o.process, o.queue, d.name AS device, count(*) AS count,\n"
	"    sum(submitted_ns - queued_ns) AS host_queue_ns,\n"
	"    sum(start_ns - submitted_ns) AS device_queue_ns, sum(duration_ns) AS executing_ns\n"
	"  FROM device_ops o LEFT JOIN devices d ON d.id = o.device WHERE start_ns IS NOT NULL\n"
	"  GROUP BY o.process, o.queue ORDER BY executing_ns DESC;"
	"CREATE VIEW range_summary AS -- by name: on the host, and projected onto devices\n"
	"  SELECT r.scope, r.name, r.kind, count(*) AS count, sum(r.duration_ns) AS total_ns,\n"
	"    avg(r.duration_ns) AS mean_ns, sum(d.duration_ns) AS projected_ns,\n"
	"    sum(d.executing_ns) AS executing_ns, sum(r.operations) AS operations,\n"
	"    sum(r.kernels) AS kernels\n"
	"  FROM ranges r LEFT JOIN (SELECT \"range\", sum(duration_ns) AS duration_ns,\n"
	"    sum(executing_ns) AS executing_ns FROM range_devices GROUP BY \"range\") d\n"
	"    ON d.\"range\" = r.id GROUP BY r.scope, r.name, r.kind ORDER BY total_ns DESC;"
	"CREATE VIEW task_summary AS -- by the place that makes them\n"
	"  SELECT n.domain, n.kind, n.name, n.file, n.line, count(DISTINCT n.process || ' ' || n.number)\n"
	"    AS nodes, count(o.id) AS ops, sum(o.start_ns - o.queued_ns) AS waiting_ns,\n"
	"    sum(o.duration_ns) AS executing_ns\n"
	"  FROM task_nodes n LEFT JOIN device_ops o ON o.process = n.process AND o.node = n.number\n"
	"  GROUP BY n.domain, n.kind, n.name, n.file, n.line ORDER BY executing_ns DESC;"
	"CREATE VIEW state_summary AS -- by thread and state\n"
	"  SELECT p.pid, s.tid, s.name, s.state, count(*) AS count, sum(duration_ns) AS total_ns,\n"
	"    max(duration_ns) AS max_ns\n"
	"  FROM thread_states s JOIN processes p ON p.id = s.process\n"
	"  GROUP BY s.process, s.tid, s.state ORDER BY p.pid, s.tid, total_ns DESC;"
	"CREATE VIEW call_states AS -- what threads did during their calls\n"
	"  SELECT c.id AS call, c.name AS call_name, s.state, s.by_name,\n"
	"    min(s.end_ns, c.end_ns) - max(s.begin_ns, c.begin_ns) AS duration_ns\n"
	"  FROM api_calls c JOIN threads t ON t.id = c.thread\n"
	"    JOIN thread_states s ON s.process = t.process AND s.tid = t.tid\n"
	"      AND s.begin_ns < c.end_ns AND s.end_ns > c.begin_ns;";
