/* SPDX-License-Identifier: MIT */
#include "core/capture.h"

#include "core/domain.h"

_Atomic uint32_t tandem_capture_enabled = 1;

void tandem_capture_begin(void)
{
	static _Atomic int begun;

	if (tandem_capture_is_bounded() && !atomic_exchange(&begun, 1))
		atomic_store(&tandem_capture_enabled, 0);
}

void tandem_capture_set(bool enabled)
{
	atomic_store(&tandem_capture_enabled, enabled);
	domains_switched();
}
