/** A name of a database, schema, table or warehouse. It is always quoted, so every case and every keyword works. */
export const SQL_NAME = /^[A-Za-z_][A-Za-z0-9_$]{0,254}$/;

/**
 * A Snowflake account as it stands before `.snowflakecomputing.com`: `org-account`, or a locator with region and cloud.
 */
export const SNOWFLAKE_ACCOUNT =
  /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?){0,3}$/i;

/** A bucket's name by the rules of AWS, which other S3 services follow too. */
export const BUCKET_NAME = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** A region of an S3 service: it becomes a part of a host's name. */
export const S3_REGION = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The beginning of object keys. */
export const OBJECT_PREFIX = /^[A-Za-z0-9!_.*'()=/-]{0,512}$/;

/** The names that a path template may have in braces. */
export const PATH_VARIABLES = ['prefix', 'date', 'year', 'month', 'day', 'apiKeyName'] as const;
export type PathVariable = (typeof PATH_VARIABLES)[number];

/** The folder of objects, with variables in braces. */
export const PATH_TEMPLATE =
  /^(?=.{0,512}$)(?:[A-Za-z0-9!_.*'()=/-]|\{(?:prefix|date|year|month|day|apiKeyName)\})*$/;

/** A name of an application at Datadog. */
export const ML_APP = /^(?=.{1,193}$)(?!.*__)(?!.*_$)[a-z0-9][a-z0-9_:./-]*$/;

/** A text that can be sent as the value of a header. */
export const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
