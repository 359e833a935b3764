/** Makes a POST idempotent: a request repeated with its idempotency key within 24 hours gets the first answer again. */
import type { Handle } from '../db/postgres/connection.ts';
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

/** A caller's `Idempotency-Key`, with the SHA-256 of the request (lower-case hex). */
export type IdempotencyClaim = Pick<IdempotencyScope, 'key' | 'requestHash'>;

/** The options of a POST whose work is done once for each idempotency key of its caller. */
export interface OnceOptions<Made> {
  /** Undefined when the caller sent no `Idempotency-Key`. */
  idempotency?: IdempotencyClaim | undefined;
  /** Renders the answer, which is stored for retries. */
  respond(made: Made): Answer;
}

/** The work of a POST, and the place where its answers are stored. */
export interface OnceWork<Made, Checked> {
  knex: Handle;
  /** Required for answers that show a secret: they are stored encrypted. */
  encryption?: Pick<Encryption, 'seal' | 'open'>;
  /** A key in another scope is another key. */
  scope: Omit<IdempotencyScope, keyof IdempotencyClaim>;
  /** Checks a new request before the transaction begins, while no lock is held. A retry is not checked again. */
  check?: () => Checked | Promise<Checked>;
  /** Does the work, or throws an `AppError` to refuse it. */
  make: (transaction: Handle, checked: Checked) => Promise<Made>;
}

/** The place where the answer of a request is stored. */
export interface AnswerStorage {
  knex: Handle;
  /** Undefined when the caller sent no `Idempotency-Key`. The work then runs for each request. */
  scope: IdempotencyScope | undefined;
  /** Required for answers that show a secret: they are stored encrypted. */
  encryption?: Pick<Encryption, 'seal' | 'open'> | undefined;
}

/**
 * Stores the answer with the work. Throws when an identical request was faster, so that the transaction is rolled
 * back.
 */
export type Remember = (answer: Answer) => Promise<void>;

/**
 * Does the work of a POST once for each idempotency key, and returns its answer.
 *
 * For 24 hours, a retry with the same key gets the first answer. The same key with another request gets a 422. Of
 * identical requests at the same time, one does the work and all get its answer, even if that one took the last free
 * place. One commit stores the work and its answer. So after a crash both exist or neither, and a retry is safe.
 */
export async function doOnce<Made, Checked = undefined>(
  { knex, encryption, scope, check, make }: OnceWork<Made, Checked>,
  { idempotency, respond }: OnceOptions<Made>,
): Promise<OnceAnswer> {
  const storage = { knex, encryption, scope: idempotency && { ...scope, ...idempotency } };
  const earlier = await findEarlierAnswer(storage);
  if (earlier !== undefined) return earlier;
  // Without a check, `Checked` is undefined.
  const checked = (await check?.()) as Checked;
  return answerOnce(storage, async (transaction, remember) => {
    const answer = respond(await make(transaction, checked));
    await remember(answer);
    return answer;
  });
}

/**
 * Returns the answer that an equal request got within the last 24 hours. Throws 422 when the key was used for another
 * request.
 */
export async function findEarlierAnswer(storage: AnswerStorage): Promise<OnceAnswer | undefined> {
  if (storage.scope === undefined) return undefined;
  const earlier = await createIdempotencyStore(storage.knex).find(storage.scope);
  return earlier === null ? undefined : replay(storage, storage.scope, earlier);
}

/**
 * Runs the work and the record of its answer in one transaction, so that both exist or neither. The work calls
 * `remember` at the point where an identical request must wait for it. The slower of two identical requests gets the
 * answer of the faster one, also when the faster one left no place for it; or 409 when that answer is not stored any
 * more.
 */
export async function answerOnce(
  storage: AnswerStorage,
  work: (transaction: Handle, remember: Remember) => Promise<Answer>,
): Promise<OnceAnswer> {
  try {
    const answer = await storage.knex.transaction((transaction) =>
      work(transaction, (made) => remember(storage, transaction, made)),
    );
    return { ...answer, replayed: false };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // An identical request may have stored its answer meanwhile, or have taken the name or the last free place.
    const earlierAnswer = await findEarlierAnswer(storage);
    if (earlierAnswer === undefined) throw error;
    return earlierAnswer;
  }
}

/** Stores an answer in the transaction of its work. Throws when an identical request was faster. */
export async function remember(
  { scope, encryption }: Omit<AnswerStorage, 'knex'>,
  transaction: Handle,
  { status, body }: Answer,
): Promise<void> {
  if (scope === undefined) return;
  const stored: StoredBody =
    encryption === undefined
      ? { json: body }
      : { sealed: encryption.seal(JSON.stringify(body), rememberedAnswerContext(scope)) };
  const isFirst = await createIdempotencyStore(transaction).remember(scope, status, stored);
  if (!isFirst) throw new AppError('conflict', { reason: 'idempotency_in_progress' });
}

function replay(
  { encryption }: AnswerStorage,
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
