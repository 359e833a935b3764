/** Classifies errors of Postgres and its driver: outages, slow statements, lock timeouts and replica conflicts. */
import pg from 'pg';

/** Codes of the operating system: nothing listens, the connection broke, or the server's name or route is gone. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * SQLSTATEs of a Postgres that cannot serve now: connection exceptions, insufficient resources (53300: too many
 * connections), shutdown or start, and a statement or transaction that took too long.
 */
const UNAVAILABLE_STATES = /^(08|53)[0-9A-Z]{3}$|^(57P0[1235]|57014|25P03)$/;

/** SQLSTATEs that Postgres sends while it shuts down, crashes or starts up. */
const RESTARTING_STATES = /^(57P0[123]|08...)$/;

const SILENCE = 'Query read timeout';
/** The pool's message when no connection is free in time. */
const NO_FREE_CONNECTION = 'timeout exceeded when trying to connect';

/**
 * The messages of the driver's errors that have no code. test/db/postgres/real-outages.test.ts provokes each of them
 * with a real outage.
 */
export const DRIVER_MESSAGES = [
  SILENCE,
  NO_FREE_CONNECTION,
  'timeout expired',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Client was closed and is not queryable',
  'Client has encountered a connection error and is not queryable',
];

/**
 * Thrown while the outage detector knows that Postgres is away. The code is the SQLSTATE of a connection that cannot be
 * established.
 */
export class PostgresDownError extends Error {
  readonly code = '08001';

  constructor(cause: unknown) {
    super('Postgres cannot be reached', { cause });
    this.name = 'PostgresDownError';
  }
}

/**
 * Returns whether the outage detector knows that Postgres is away; one slow statement or broken connection is not
 * enough.
 */
export function isPostgresDown(error: unknown): boolean {
  return error instanceof PostgresDownError;
}

/**
 * Returns whether Postgres could not be reached or did not answer, so that a retry may succeed. The effect of a
 * statement without an answer is unknown.
 */
export function isOutage(error: unknown): boolean {
  const { code } = partsOf(error);
  if (typeof code === 'string') return NETWORK_CODES.has(code) || UNAVAILABLE_STATES.test(code);
  return DRIVER_MESSAGES.some((message) => hasMessage(error, message));
}

/** Returns whether Postgres, or the wait for a connection, took too long; a smaller query may still succeed. */
export function isTooSlow(error: unknown): boolean {
  return isSilence(error) || hasMessage(error, NO_FREE_CONNECTION) || isCancelled(error);
}

/** Returns whether the outage affects every query, however small. */
export function isUnreachable(error: unknown): boolean {
  return isOutage(error) && !isTooSlow(error);
}

/** Returns whether the driver stopped waiting for the answer to a statement. Its connection may not be used again. */
export function isSilence(error: unknown): boolean {
  return hasMessage(error, SILENCE);
}

/** Returns whether Postgres itself sent the error, which leaves the connection usable. */
export function isSentByPostgres(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

/** Returns whether a running Postgres sent the error, for example because it has too many connections. */
export function isSentByRunningPostgres(error: unknown): boolean {
  return isSentByPostgres(error) && !RESTARTING_STATES.test(String(partsOf(error).code));
}

/** Returns whether a lock was not available within `lock_timeout` (SQLSTATE 55P03). */
export function isLockTimeout(error: unknown): boolean {
  return partsOf(error).code === '55P03';
}

/** Returns whether a table or column does not exist (SQLSTATE 42P01, 42703): the database is not migrated. */
export function isUnmigrated(error: unknown): boolean {
  return ['42P01', '42703'].includes(String(partsOf(error).code));
}

/** Returns whether Postgres refused a user, a password or a database name (SQLSTATE 28000, 28P01, 3D000). */
export function isRefusedLogin(error: unknown): boolean {
  return ['28000', '28P01', '3D000'].includes(String(partsOf(error).code));
}

/** Returns whether Postgres cancelled the statement, because it took too long or an operator cancelled it. */
export function isCancelled(error: unknown): boolean {
  return partsOf(error).code === '57014';
}

/**
 * Returns whether a replica cancelled a statement (SQLSTATE 40001). The statement needed rows that the primary has
 * removed, or blocked the primary's changes for longer than `max_standby_streaming_delay`.
 */
export function isReplicaConflict(error: unknown): boolean {
  return partsOf(error).code === '40001';
}

function hasMessage(error: unknown, expected: string): boolean {
  return partsOf(error).message === expected;
}

function partsOf(error: unknown): { code?: unknown; message?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}
