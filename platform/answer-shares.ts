/** Divides the memory for answers among the process, its organizations and their keys. */
import { AppError } from '../domain/errors.ts';
import { MemoryShare } from './memory-share.ts';
import type { Metrics } from './metrics.ts';

/** The part of the memory for answers that one organization may use. */
const ORGANIZATION_SHARE = 1 / 4;

/** The part of the memory for answers that one key may use. */
const KEY_SHARE = 1 / 8;

/** The `Retry-After` of a request whose answer finds no memory. Some answers end within this time. */
const RETRY_AFTER_SECONDS = 5;

/** The key and the organization that an answer belongs to. */
export interface AnswerOwner {
  organizationId: string;
  keyId: number;
}

export type Scope = 'key' | 'organization' | 'process';

const REASONS: Record<Scope, string> = {
  key: 'too_many_answer_bytes_of_key',
  organization: 'too_many_answer_bytes_of_organization',
  process: 'too_many_answer_bytes',
};

/** Holds the shares of the process, and of all organizations and keys that have large answers at the moment. */
export class AnswerShares {
  /** The number of answers that wait for memory. */
  waiting = 0;
  readonly #memoryBytes: number;
  readonly #process: MemoryShare;
  readonly #organizations = new Map<string, MemoryShare>();
  readonly #keys = new Map<number, MemoryShare>();
  readonly #countRefusal: (labels: { scope: string }) => () => void;

  constructor(memoryBytes: number, metrics: Metrics) {
    this.#memoryBytes = memoryBytes;
    this.#process = new MemoryShare(memoryBytes);
    metrics.gauge({
      name: 'sluice_answer_memory_bytes',
      help: 'Memory that answers above 64 KiB hold.',
      aggregation: 'sum',
      read: () => [{ labels: {}, value: this.#process.heldBytes }],
    });
    metrics.gauge({
      name: 'sluice_answers_waiting',
      help: 'Answers that wait for memory, with their upstreams paused.',
      aggregation: 'sum',
      read: () => [{ labels: {}, value: this.waiting }],
    });
    this.#countRefusal = metrics.counter({
      name: 'sluice_answers_refused_total',
      help: 'Requests that failed because the memory for answers of the key, the organization or the process was used up.',
      labels: ['scope'],
    });
  }

  /** Returns the shares of an answer of this owner. They stay the same until the answer leaves. */
  join({ organizationId, keyId }: AnswerOwner): [Scope, MemoryShare][] {
    return [
      ['key', joined(this.#keys, keyId, KEY_SHARE * this.#memoryBytes)],
      ['organization', joined(this.#organizations, organizationId, ORGANIZATION_SHARE * this.#memoryBytes)],
      ['process', this.#process],
    ];
  }

  leave({ organizationId, keyId }: AnswerOwner, answer: object): void {
    left(this.#keys, keyId, answer);
    left(this.#organizations, organizationId, answer);
    this.#process.leave(answer);
  }

  /**
   * Throws while answers of the key or of the organization wait for memory. If only answers of other organizations
   * wait, the request goes on, because its answer may be small.
   */
  refuseWhileOthersWait({ organizationId, keyId }: AnswerOwner): void {
    if (this.waiting === 0) return;
    if (isWaitedFor(this.#keys.get(keyId))) throw this.refusal('key');
    if (isWaitedFor(this.#organizations.get(organizationId))) throw this.refusal('organization');
  }

  /** Counts a request that fails for lack of memory, and returns its error. */
  refusal(scope: Scope): AppError {
    this.#countRefusal({ scope })();
    const code = scope === 'process' ? 'unavailable' : 'rate_limited';
    return new AppError(code, { reason: REASONS[scope], retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

function joined<Key>(shares: Map<Key, MemoryShare>, key: Key, maxBytes: number): MemoryShare {
  let share = shares.get(key);
  if (share === undefined) shares.set(key, (share = new MemoryShare(maxBytes)));
  share.answers += 1;
  return share;
}

function left<Key>(shares: Map<Key, MemoryShare>, key: Key, answer: object): void {
  const share = shares.get(key)!;
  share.answers -= 1;
  if (share.answers === 0) shares.delete(key);
  share.leave(answer);
}

function isWaitedFor(share: MemoryShare | undefined): boolean {
  return share !== undefined && share.waiting > 0;
}
