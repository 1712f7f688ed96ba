/* SPDX-License-Identifier: MIT */
/* As much of NVTX's binary interface (version 3) as is needed to hear what a
 * program says through it. Each library that uses NVTX has its own table of
 * functions, loads what NVTX_INJECTION64_PATH names at its first call, and lets it
 * fill the table; an entry left alone costs the program one test.
 * tests/unit/nvtx_abi.c compares with NVIDIA's header where it is installed. */
#ifndef TANDEM_DOMAINS_ANNOTATION_NVTX_H
#define TANDEM_DOMAINS_ANNOTATION_NVTX_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum { NVTX_TABLE_CALLBACKS = 1 };
enum { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };

enum nvtx_core {
	NVTX_MarkEx = 1,
	NVTX_MarkA,
	NVTX_MarkW,
	NVTX_RangeStartEx,
	NVTX_RangeStartA,
	NVTX_RangeStartW,
	NVTX_RangeEnd,
	NVTX_RangePushEx,
	NVTX_RangePushA,
	NVTX_RangePushW,
	NVTX_RangePop,
	NVTX_NameCategoryA,
	NVTX_NameCategoryW,
};

enum nvtx_core2 {
	NVTX_DomainMarkEx = 1,
	NVTX_DomainRangeStartEx,
	NVTX_DomainRangeEnd,
	NVTX_DomainRangePushEx,
	NVTX_DomainRangePop,
	NVTX_DomainNameCategoryA = 8,
	NVTX_DomainNameCategoryW,
	NVTX_DomainRegisterStringA,
	NVTX_DomainRegisterStringW,
	NVTX_DomainCreateA,
	NVTX_DomainCreateW,
};

enum { NVTX_IS_ARGB = 1 };
enum { NVTX_TEXT_ASCII = 1, NVTX_TEXT_WIDE = 2, NVTX_TEXT_REGISTERED = 3 };
enum nvtx_payload { NVTX_U64 = 1, NVTX_I64, NVTX_F64, NVTX_U32, NVTX_I32, NVTX_F32 };

struct nvtx_attributes {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved;
	union {
		uint64_t u64;
		int64_t i64;
		double f64;
		uint32_t u32;
		int32_t i32;
		float f32;
	} payload;
	int32_t text_type;
	union {
		const char *ascii;
		const wchar_t *wide;
		const void *registered;
	} text;
};

/* "No tracking of levels": what push and pop return when nobody counts. */
#define NVTX_NO_LEVEL (-2)

struct nvtx_callbacks {
	size_t size;
	int (*module)(uint32_t module, void ****table, uint32_t *count);
};

typedef const void *(*nvtx_tables)(uint32_t table);

#endif
