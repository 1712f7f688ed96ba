/* SPDX-License-Identifier: MIT */
/* What launches of a kernel, and copies, have in common (core's records launch_config and
 * transfer_config): written once, and named by each operation.
 *
 *	struct tandem_rec_launch_config config = {.domain = TANDEM_DOMAIN_hip, ...};
 *
 *	operation->launch_config =
 *		launch_config_number(TANDEM_EVENT_launch_config, &config, sizeof(config));
 */
#ifndef TANDEM_CORE_LAUNCH_CONFIG_H
#define TANDEM_CORE_LAUNCH_CONFIG_H

#include <stdint.h>

/* `record` is complete but for head and number, and may be changed; padding is 0. Its number
 * in the process; 0: it could not be recorded. Outside of any record; any thread. */
uint32_t launch_config_number(uint16_t id, void *record, uint32_t bytes);

/* Those that operations may still name. */
void launch_configs_each(void (*found)(unsigned type, uint32_t number));

#endif
