// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// SQLite for Swift, and what Swift cannot import by itself. Prefix: csqlite_.

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// sqlite3_db_config is variadic. Defensive: no statement can damage the file or change its schema behind SQLite's back.
// A schema that is not trusted calls no functions with side effects.
static inline void csqlite_harden(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

// Closed then, the file and its log stay as they are.
static inline void csqlite_keep_log(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// SQLITE_TRANSIENT is a function pointer made of a number.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, int length) {
    return sqlite3_bind_text(statement, place, text, length, SQLITE_TRANSIENT);
}

#endif
