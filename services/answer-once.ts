/** Makes a POST idempotent: a request repeated with its idempotency key within 24 hours gets the first answer again. */
import type { Handle } from '../db/connection.ts';
import {
  createIdempotencyStore,
  type IdempotencyScope,
  type RememberedAnswer,
  type StoredBody,
} from '../db/idempotency-store.ts';
import { AppError } from '../domain/errors.ts';
import type { Encryption } from '../platform/encryption.ts';

export interface Answer {
  status: number;
  body: unknown;
}

export type OnceAnswer = Answer & { replayed: boolean };

export interface OnceOptions {
  knex: Handle;
  /** Undefined when the caller sent no `Idempotency-Key`. The work then runs for each request. */
  scope: IdempotencyScope | undefined;
  /** Required for answers that show a secret: they are stored encrypted. */
  encryption?: Pick<Encryption, 'seal' | 'open'>;
}

/**
 * Stores the answer with the work. Throws when an identical request was faster, so that the transaction is rolled
 * back.
 */
export type Remember = (answer: Answer) => Promise<void>;

/** Rolls back the transaction of the slower of two identical requests. */
class ConcurrentRequestWonError extends Error {}

/**
 * Returns the answer that an equal request got within the last 24 hours. Throws 422 when the key was used for another
 * request.
 */
export async function findEarlierAnswer(options: OnceOptions): Promise<OnceAnswer | undefined> {
  if (options.scope === undefined) return undefined;
  const earlier = await createIdempotencyStore(options.knex).find(options.scope);
  return earlier === null ? undefined : replay(options, options.scope, earlier);
}

/**
 * Runs the work and the record of its answer in one transaction, so that both exist or neither. The work calls
 * `remember` at the point where an identical request must wait for it. The slower of two identical requests gets the
 * answer of the faster one, or 409 when that answer is not stored any more.
 */
export async function answerOnce(
  options: OnceOptions,
  work: (transaction: Handle, remember: Remember) => Promise<Answer>,
): Promise<OnceAnswer> {
  try {
    const answer = await options.knex.transaction((transaction) =>
      work(transaction, (made) => remember(options, transaction, made)),
    );
    return { ...answer, replayed: false };
  } catch (error) {
    if (!(error instanceof ConcurrentRequestWonError)) throw error;
    const earlierAnswer = await findEarlierAnswer(options);
    if (earlierAnswer === undefined) {
      throw new AppError('conflict', { reason: 'idempotency_in_progress', cause: error });
    }
    return earlierAnswer;
  }
}

async function remember(
  { scope, encryption }: OnceOptions,
  transaction: Handle,
  { status, body }: Answer,
): Promise<void> {
  if (scope === undefined) return;
  const stored: StoredBody =
    encryption === undefined
      ? { json: body }
      : { sealed: encryption.seal(JSON.stringify(body), rememberedAnswerContext(scope)) };
  const isFirst = await createIdempotencyStore(transaction).remember(scope, status, stored);
  if (!isFirst) throw new ConcurrentRequestWonError();
}

function replay(
  { encryption }: OnceOptions,
  scope: IdempotencyScope,
  { requestHash, status, body }: RememberedAnswer,
): OnceAnswer {
  if (requestHash !== scope.requestHash) throw new AppError('idempotency_key_reused');
  if ('json' in body) return { status, body: body.json, replayed: true };
  if (encryption === undefined) throw new Error('a sealed answer, but no encryption is configured');
  const opened = encryption.open(body.sealed, rememberedAnswerContext(scope)).toString('utf8');
  return { status, body: JSON.parse(opened), replayed: true };
}

/** Returns the context that a remembered answer is bound to. */
export function rememberedAnswerContext(scope: Omit<IdempotencyScope, 'requestHash'>): string {
  const { organizationId, workspaceId, operation, key } = scope;
  return `remembered_answers:${organizationId}:${workspaceId}:${operation}:${key}`;
}
