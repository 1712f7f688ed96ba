/* SPDX-License-Identifier: MIT */
/* Sources that were built again and again, with other options each time; or with another text of nearly
 * the same length each time, between the commands of a process, as if numbers were written into it.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_VARIANTS_H
#define TANDEM_ANALYSIS_FINDINGS_VARIANTS_H

#include "analysis/findings/builds/builds.h"

struct variants {
	uint64_t builds, sources;
	uint32_t options; /* in `texts` of the builds, of one */
	uint64_t texts;	  /* of the builds: other texts */
};

/* Adds what there is of them to `variants`. 0 or -ENOMEM. */
int variants_find(const struct build_state *builds, struct variants *variants);

/* How many they are, in words; the findings own the text. */
const char *variants_words(struct findings *findings, const struct build_state *builds,
			   const struct variants *variants);

#endif
