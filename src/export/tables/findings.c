/* SPDX-License-Identifier: MIT */
/* Rows of what is wrong. */
#include "analysis/findings/finding.h"
#include "export/tables/row.h"

static int finding_row(struct export *export, const struct finding *finding)
{
	int64_t start_ns = export->iterator->session->start_ns;
	struct tables *tables = export->state;
	struct table_value row[TABLE_COLUMNS] = {{.type = TABLE_NULL}};

	row_id(&row[FINDINGS_session], export->session + 1);
	row_word(&row[FINDINGS_name], finding->name);
	row_word(&row[FINDINGS_cause], finding->cause);
	row_word(&row[FINDINGS_description], finding->what);
	row_word(&row[FINDINGS_suggestion], finding->suggestion);
	row_word_or_none(&row[FINDINGS_culprits], finding->culprit);
	row_word(&row[FINDINGS_confidence], finding_confidence_name(finding->confidence));
	row_word(&row[FINDINGS_evidence], finding->why);
	row_word(&row[FINDINGS_what], finding->what);
	row_word(&row[FINDINGS_todo], finding->suggestion);
	row_word_or_none(&row[FINDINGS_who], finding->culprit);
	row_word(&row[FINDINGS_sure], finding_confidence_before(finding->confidence));
	row_word(&row[FINDINGS_why], finding->why);
	row_integer(&row[FINDINGS_cost_ns], (int64_t)finding->cost_ns);
	row_real(&row[FINDINGS_percent], finding->percent);
	row_integer(&row[FINDINGS_count], (int64_t)finding->count);
	row_id(&row[FINDINGS_pid], finding->pid);
	row_id(&row[FINDINGS_tid], finding->tid);
	row_id(&row[FINDINGS_queue], finding->queue);
	row_word_or_none(&row[FINDINGS_device], finding->device);
	row_word_or_none(&row[FINDINGS_object], finding->object);
	if (finding->timed) {
		row_time(&row[FINDINGS_begin_ns], export, start_ns + finding->begin_ns);
		row_time(&row[FINDINGS_end_ns], export, start_ns + finding->end_ns);
	}
	return tables->row(export, TABLE_findings, row);
}

int tables_findings(struct export *export)
{
	const struct findings *findings = export->findings;
	int status = 0;

	for (size_t i = 0; !status && i < findings->count; i++)
		status = finding_row(export, &findings->items[i]);
	return status;
}
