/* SPDX-License-Identifier: MIT */
/*
 * The functions that a dispatcher exports and a proxy forwards, with the release of Intel's
 * runtime whose proxy asked for each first (doc/XPTI.md has the whole history). X(name, release)
 */
#ifndef XPTI_FUNCTIONS_H
#define XPTI_FUNCTIONS_H

/* Without one of these a proxy refuses a dispatcher: the 27 of 2023.2. */
#define XPTI_REQUIRED_FUNCTIONS(X)                  \
	X(xptiInitialize, 20211)                    \
	X(xptiFinalize, 20211)                      \
	X(xptiGetUniqueId, 20211)                   \
	X(xptiRegisterString, 20211)                \
	X(xptiLookupString, 20211)                  \
	X(xptiRegisterStream, 20211)                \
	X(xptiUnregisterStream, 20211)              \
	X(xptiRegisterUserDefinedTracePoint, 20211) \
	X(xptiRegisterUserDefinedEventType, 20211)  \
	X(xptiMakeEvent, 20211)                     \
	X(xptiFindEvent, 20211)                     \
	X(xptiQueryPayload, 20211)                  \
	X(xptiRegisterCallback, 20211)              \
	X(xptiUnregisterCallback, 20211)            \
	X(xptiNotifySubscribers, 20211)             \
	X(xptiAddMetadata, 20211)                   \
	X(xptiQueryMetadata, 20211)                 \
	X(xptiTraceEnabled, 20211)                  \
	X(xptiQueryPayloadByUID, 20220)             \
	X(xptiRegisterPayload, 20220)               \
	X(xptiFrameworkInitialize, 20222)           \
	X(xptiFrameworkFinalize, 20222)             \
	X(xptiGetUniversalId, 20222)                \
	X(xptiSetUniversalId, 20222)                \
	X(xptiRegisterObject, 20222)                \
	X(xptiLookupObject, 20222)                  \
	X(xptiForceSetTraceEnabled, 20232)

/* Without one of these the proxy's stub returns what it returns when tracing is off. */
#define XPTI_LATER_FUNCTIONS(X)                         \
	X(xptiCheckTraceEnabled, 20240)                 \
	X(xptiStashTuple, 20241)                        \
	X(xptiGetStashedTuple, 20241)                   \
	X(xptiUnstashTuple, 20241)                      \
	X(xptiReleaseEvent, 20241)                      \
	X(xptiCreateTracepoint, 20251)                  \
	X(xptiDeleteTracepoint, 20251)                  \
	X(xptiLookupEvent, 20251)                       \
	X(xptiLookupPayload, 20251)                     \
	X(xptiGetTracepointScopeData, 20251)            \
	X(xptiSetTracepointScopeData, 20251)            \
	X(xptiUnsetTracepointScopeData, 20251)          \
	X(xptiRegisterTracepointScope, 20251)           \
	X(xptiEnableTracepointScopeNotification, 20251) \
	X(xptiCheckTracepointScopeNotification, 20251)  \
	X(xptiGetDefaultStreamID, 20251)                \
	X(xptiSetDefaultStreamID, 20251)                \
	X(xptiGetDefaultEventType, 20251)               \
	X(xptiSetDefaultEventType, 20251)               \
	X(xptiGetDefaultTraceType, 20251)               \
	X(xptiSetDefaultTraceType, 20251)               \
	X(xptiGetEffectiveStreamDetailLevel, 20262)     \
	X(xptiReset, 20242)

#endif
