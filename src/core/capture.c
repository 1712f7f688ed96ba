/* SPDX-License-Identifier: MIT */
#include "core/capture.h"

#define LISTENERS_MOST 4u

_Atomic uint32_t tandem_capture_enabled = 1;

static void (*_Atomic listeners[LISTENERS_MOST])(bool enabled);

void tandem_capture_begin(void)
{
	static _Atomic int begun;

	if (tandem_capture_is_bounded() && !atomic_exchange(&begun, 1))
		atomic_store(&tandem_capture_enabled, 0);
}

void tandem_capture_listen(void (*changed)(bool enabled))
{
	for (unsigned i = 0; i < LISTENERS_MOST; i++) {
		void (*none)(bool) = NULL;

		if (atomic_compare_exchange_strong(&listeners[i], &none, changed))
			return;
	}
}

void tandem_capture_set(bool enabled)
{
	atomic_store(&tandem_capture_enabled, enabled);
	for (unsigned i = 0; i < LISTENERS_MOST; i++) {
		void (*changed)(bool) = atomic_load(&listeners[i]);

		if (changed)
			changed(enabled);
	}
}
