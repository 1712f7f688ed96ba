/* SPDX-License-Identifier: MIT */
/* The made-up runtime's own numbers in the control page, as those of schema/domain/cuda.h. */
#ifndef TANDEM_SCHEMA_ACME_H
#define TANDEM_SCHEMA_ACME_H

#define TANDEM_ACME_CHOICES(X)                 \
	X(calls, 1, 0, "calls of the runtime") \
	X(queries, 0, TANDEM_ACME_BIT(calls), "calls too that only ask")

enum tandem_acme_choice {
#define X(word, on, needs, description) TANDEM_ACME_##word,
	TANDEM_ACME_CHOICES(X) TANDEM_ACME_COUNT
#undef X
};

#define TANDEM_ACME_BIT(word) (1u << TANDEM_ACME_##word)

#define TANDEM_ACME_NOTICES(X) X(version, "Acme was used, but it is too new to be recorded")

enum tandem_acme_notice {
#define X(name, text) TANDEM_ACME_NOTICE_##name,
	TANDEM_ACME_NOTICES(X)
#undef X
};

#endif
