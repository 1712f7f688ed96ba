/* Numbers of the domains: the upper six bits of an event id, and the bit of
 * tandem_control.recording. Domain 0 holds the records that every runtime
 * shares (src/schema/core.events). */
#ifndef TANDEM_SCHEMA_IDS_H
#define TANDEM_SCHEMA_IDS_H

#define TANDEM_DOMAINS(X)                                                      \
	X(0, core)                                                             \
	X(1, opencl)                                                           \
	X(2, cuda)                                                             \
	X(9, kernel)                                                           \
	X(10, cudart)

enum tandem_domain_number {
#define X(number, name) TANDEM_DOMAIN_##name = number,
	TANDEM_DOMAINS(X)
#undef X
};

#define TANDEM_DOMAIN_BIT(name) (1u << TANDEM_DOMAIN_##name)

#endif
