/** A name of a database, schema, table or warehouse. It is always quoted, so every case and every keyword works. */
export const SQL_NAME = /^[A-Za-z_][A-Za-z0-9_$]{0,254}$/;

/** The names that the template of an object's path may have in braces. */
export const PATH_VARIABLES = ['prefix', 'date', 'year', 'month', 'day', 'apiKeyName'] as const;
export type PathVariable = (typeof PATH_VARIABLES)[number];
