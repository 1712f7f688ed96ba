/* SPDX-License-Identifier: MIT */
/* The database's schema: tables (tables.h), then, once they are filled, indices
 * and views. */
#ifndef TANDEM_EXPORT_SQLITE_SCHEMA_H
#define TANDEM_EXPORT_SQLITE_SCHEMA_H

#include "export/tables/tables.h"
#include "util/text.h"

/* Changes with the schema: PRAGMA user_version. */
#define SQLITE_SCHEMA_VERSION 4

/* "CREATE TABLE ...", with the words on each column. */
void sqlite_schema_table(struct text *sql, const struct table *table);

/* "INSERT INTO ... VALUES (?1, ...)" */
void sqlite_schema_insert(struct text *sql, const struct table *table);

extern const char sqlite_schema_indices[];
extern const char sqlite_schema_views[];

#endif
