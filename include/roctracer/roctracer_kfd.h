/* SPDX-License-Identifier: MIT */
/* ROCTracer's domain of the kernel driver's API (ACTIVITY_DOMAIN_KFD_API), libhsakmt's: the numbers
 * of its functions, as in ROCTracer 4.1. None of them is traced: ROCTracer's wrapper of libhsakmt
 * went with 4.2, and libhsakmt is a part of HSA's runtime since ROCm 6. */
#ifndef TANDEM_ROCTRACER_KFD_H
#define TANDEM_ROCTRACER_KFD_H

#include "roctracer.h"

/* X(name), in the order of the numbers. */
#define TANDEM_ROCTRACER_KFD_FUNCTIONS(X)       \
	X(hsaKmtOpenKFD)                        \
	X(hsaKmtCloseKFD)                       \
	X(hsaKmtGetVersion)                     \
	X(hsaKmtAcquireSystemProperties)        \
	X(hsaKmtReleaseSystemProperties)        \
	X(hsaKmtGetNodeProperties)              \
	X(hsaKmtGetNodeMemoryProperties)        \
	X(hsaKmtGetNodeCacheProperties)         \
	X(hsaKmtGetNodeIoLinkProperties)        \
	X(hsaKmtCreateEvent)                    \
	X(hsaKmtDestroyEvent)                   \
	X(hsaKmtSetEvent)                       \
	X(hsaKmtResetEvent)                     \
	X(hsaKmtQueryEventState)                \
	X(hsaKmtWaitOnEvent)                    \
	X(hsaKmtWaitOnMultipleEvents)           \
	X(hsaKmtReportQueue)                    \
	X(hsaKmtCreateQueue)                    \
	X(hsaKmtUpdateQueue)                    \
	X(hsaKmtDestroyQueue)                   \
	X(hsaKmtSetQueueCUMask)                 \
	X(hsaKmtGetQueueInfo)                   \
	X(hsaKmtSetMemoryPolicy)                \
	X(hsaKmtAllocMemory)                    \
	X(hsaKmtFreeMemory)                     \
	X(hsaKmtRegisterMemory)                 \
	X(hsaKmtRegisterMemoryToNodes)          \
	X(hsaKmtRegisterMemoryWithFlags)        \
	X(hsaKmtRegisterGraphicsHandleToNodes)  \
	X(hsaKmtShareMemory)                    \
	X(hsaKmtRegisterSharedHandle)           \
	X(hsaKmtRegisterSharedHandleToNodes)    \
	X(hsaKmtProcessVMRead)                  \
	X(hsaKmtProcessVMWrite)                 \
	X(hsaKmtDeregisterMemory)               \
	X(hsaKmtMapMemoryToGPU)                 \
	X(hsaKmtMapMemoryToGPUNodes)            \
	X(hsaKmtUnmapMemoryToGPU)               \
	X(hsaKmtMapGraphicHandle)               \
	X(hsaKmtUnmapGraphicHandle)             \
	X(hsaKmtAllocQueueGWS)                  \
	X(hsaKmtDbgRegister)                    \
	X(hsaKmtDbgUnregister)                  \
	X(hsaKmtDbgWavefrontControl)            \
	X(hsaKmtDbgAddressWatch)                \
	X(hsaKmtQueueSuspend)                   \
	X(hsaKmtQueueResume)                    \
	X(hsaKmtEnableDebugTrap)                \
	X(hsaKmtEnableDebugTrapWithPollFd)      \
	X(hsaKmtDisableDebugTrap)               \
	X(hsaKmtQueryDebugEvent)                \
	X(hsaKmtGetQueueSnapshot)               \
	X(hsaKmtSendHostTrap)                   \
	X(hsaKmtSetWaveLaunchTrapOverride)      \
	X(hsaKmtSetWaveLaunchMode)              \
	X(hsaKmtGetKernelDebugTrapVersionInfo)  \
	X(hsaKmtGetThunkDebugTrapVersionInfo)   \
	X(hsaKmtSetAddressWatch)                \
	X(hsaKmtClearAddressWatch)              \
	X(hsaKmtEnablePreciseMemoryOperations)  \
	X(hsaKmtDisablePreciseMemoryOperations) \
	X(hsaKmtGetClockCounters)               \
	X(hsaKmtPmcGetCounterProperties)        \
	X(hsaKmtPmcRegisterTrace)               \
	X(hsaKmtPmcUnregisterTrace)             \
	X(hsaKmtPmcAcquireTraceAccess)          \
	X(hsaKmtPmcReleaseTraceAccess)          \
	X(hsaKmtPmcStartTrace)                  \
	X(hsaKmtPmcQueryTrace)                  \
	X(hsaKmtPmcStopTrace)                   \
	X(hsaKmtSetTrapHandler)                 \
	X(hsaKmtGetTileConfig)                  \
	X(hsaKmtQueryPointerInfo)               \
	X(hsaKmtSetMemoryUserData)              \
	X(hsaKmtSPMAcquire)                     \
	X(hsaKmtSPMRelease)                     \
	X(hsaKmtSPMSetDestBuffer)               \
	X(hsaKmtSVMSetAttr)                     \
	X(hsaKmtSVMGetAttr)                     \
	X(hsaKmtSetXNACKMode)                   \
	X(hsaKmtGetXNACKMode)

enum kfd_api_id_t {
#define X(name) KFD_API_ID_##name,
	TANDEM_ROCTRACER_KFD_FUNCTIONS(X)
#undef X
		KFD_API_ID_NUMBER,
	KFD_API_ID_ANY
};

#endif
