/* SPDX-License-Identifier: MIT */
/* Text in blocks of LZ4 (lz4_Block_format.md, 1.5): DIR/schema is an eighth of what it says.
 * Packing is done when Tandem is built, unpacking in a traced process: no memory of its own.
 * Any thread.
 *
 *	packed_bytes = lz4_pack(packed, text, bytes);
 *	bytes = lz4_unpack(text, sizeof(text), packed, packed_bytes);
 */
#ifndef TANDEM_SCHEMA_LZ4_H
#define TANDEM_SCHEMA_LZ4_H

#include <stddef.h>
#include <stdint.h>

/* What `bytes` may become at most. */
#define LZ4_PACKED_MOST(bytes) ((bytes) + (bytes) / 255 + 16)

/* Fills `packed`, which has room for LZ4_PACKED_MOST(bytes). Returns its bytes; 0: no memory. */
size_t lz4_pack(uint8_t *packed, const char *text, size_t bytes);

/* Returns the text's bytes; 0: it is damaged, or larger than the room. */
size_t lz4_unpack(char *text, size_t room, const uint8_t *packed, size_t bytes);

#endif
