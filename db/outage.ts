import knexFactory from 'knex';

/** On the way to the server: nothing listens, the connection broke, the name or the route is gone. */
const ON_THE_WAY = new Set([
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
 * What Postgres says when it cannot serve now: connection exceptions, too few resources (53300 is too many
 * connections), shutting down or starting up, a statement or a transaction that took too long.
 */
const BY_THE_SERVER = /^(08|53)[0-9A-Z]{3}$|^(57P0[1235]|57014|25P03)$/;

/** The driver gives these no code. Knex puts the statement before them. */
const SILENCE = 'Query read timeout';
const WITHOUT_A_CODE = [
  SILENCE,
  'timeout expired',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Client was closed and is not queryable',
  'Client has encountered a connection error and is not queryable',
];

/** Postgres was looked for and not found (presence.ts). Has the code of a connection that cannot be established. */
export class PostgresAwayError extends Error {
  readonly code = '08001';

  constructor(cause: unknown) {
    super('Postgres cannot be reached', { cause });
    this.name = 'PostgresAwayError';
  }
}

/** Whether that is known, rather than that one statement took too long or one connection broke. */
export function isAway(error: unknown): boolean {
  return error instanceof PostgresAwayError;
}

/**
 * Whether an error means that Postgres could not be asked, or did not answer, so that the same may well work
 * later. What a statement did that got no answer, nobody knows.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof knexFactory.KnexTimeoutError) return true;
  const { code } = partsOf(error);
  if (typeof code === 'string') return ON_THE_WAY.has(code) || BY_THE_SERVER.test(code);
  return WITHOUT_A_CODE.some((words) => says(error, words));
}

/** Whether the driver gave a statement up because no word came, which leaves its connection in mid-answer. */
export function isSilence(error: unknown): boolean {
  return says(error, SILENCE);
}

/** SQLSTATE 55P03: a lock was not to be had within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return partsOf(error).code === '55P03';
}

/** Whether Postgres, or a turn to ask it, took longer than is waited for: the statement was given up. */
export function isTooSlow(error: unknown): boolean {
  return error instanceof knexFactory.KnexTimeoutError || isSilence(error) || isCancelled(error);
}

/** Returns whether Postgres cancelled the statement, because it took too long or an operator asked for it. */
export function isCancelled(error: unknown): boolean {
  return partsOf(error).code === '57014';
}

/**
 * SQLSTATE 40001 of a statement by itself: on a replica, it needed rows that the primary has removed meanwhile, or was
 * in the way of what the primary did, for longer than `max_standby_streaming_delay`.
 */
export function isReplicaConflict(error: unknown): boolean {
  return partsOf(error).code === '40001';
}

function says(error: unknown, words: string): boolean {
  const { message } = partsOf(error);
  return typeof message === 'string' && (message === words || message.endsWith(` - ${words}`));
}

function partsOf(error: unknown): { code?: unknown; message?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}
