/* SPDX-License-Identifier: MIT */
#include "recorder/access.h"

#include "linux/access.h"

void recorder_access(struct recorder_access *access)
{
	static const enum recorder_scope scopes[] = {
		[LINUX_MAY_NOTHING] = RECORDER_SCOPE_NONE,
		[LINUX_MAY_PROGRAM] = RECORDER_SCOPE_PROGRAM,
		[LINUX_MAY_SYSTEM] = RECORDER_SCOPE_MACHINE,
	};

	access->scope = scopes[linux_access_permission(&access->paranoid)];
	linux_access_fix(access->fix, sizeof(access->fix));
}
