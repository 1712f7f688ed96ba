/* SPDX-License-Identifier: MIT */
/* Findings as text, for `tandem findings` and `tandem report`. */
#ifndef TANDEM_CLI_FINDINGS_FINDINGS_PRINT_H
#define TANDEM_CLI_FINDINGS_FINDINGS_PRINT_H

#include "analysis/findings/json.h"
#include "util/text.h"

struct findings_style {
	size_t width;	      /* columns of the terminal; 0: any */
	double least_percent; /* cheaper ones are only counted */
	size_t most;	      /* further ones are, too; so many that matter whatever they cost
				 are shown beside; 0: all */
	bool brief;	      /* a line each */
	bool colour;
};

void findings_text_print(struct text *out, const struct findings *findings,
			 const struct findings_style *style);

#endif
