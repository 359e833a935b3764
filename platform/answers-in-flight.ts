/** Limits the memory that answers use, from their first bytes until their callers have received them. */
import { type AnswerOwner, AnswerShares, type Scope } from './answer-shares.ts';
import type { MemoryShare } from './memory-share.ts';
import type { Metrics } from './metrics.ts';

/** The size up to which an answer is neither counted nor delayed: it takes no more memory than its connection does. */
export const SMALL_ANSWER_BYTES = 64 * 1024;

/** The longest time that an answer waits for memory of one share. */
const WAIT_MS = 30_000;

/** The part of a `ServerResponse` that tells when the answer has been sent or the caller has disconnected. */
export interface Answering {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** The largest answers that are accepted from upstreams. */
export interface AnswerLimits {
  maxTextBytes: number;
  /** The limit for events of text, except those that repeat a whole answer. */
  maxEventBytes: number;
  /** The limit for answers with media or vectors. */
  maxMediaBytes: number;
}

export interface AnswersOptions extends AnswerLimits {
  /** The memory that all answers of this process may use together. */
  memoryBytes: number;
  metrics: Metrics;
  /** Replaces the longest time that an answer waits for memory; only tests set it. */
  waitMs?: number;
}

/** Opens an account for the memory of each answer. */
export interface AnswersInFlight {
  /**
   * Opens the account of one answer. Its memory is released when the response closes. Throws `rate_limited` while other
   * answers of the key or of the organization wait for memory.
   */
  open(owner: AnswerOwner, response: Answering): AnswerInFlight;
}

/** The memory of one answer. */
export interface AnswerInFlight {
  readonly limits: AnswerLimits;
  /** True: the answer holds so much memory that it is counted. */
  readonly isLarge: boolean;
  /** Counts bytes that this process holds for the answer; a negative number gives bytes back. */
  add(bytes: number): void;
  /**
   * Returns undefined when the answer may grow. Otherwise returns a promise that resolves when it may, or when its
   * response is closed. The promise rejects after a while: with `rate_limited` when the answers of the key or of the
   * organization hold too much memory, and with `unavailable` when those of the process do. `nextBytes` is the size of
   * the next step: an answer that stays small with it is never delayed.
   */
  room(nextBytes?: number): Promise<void> | undefined;
}

export function createAnswersInFlight(options: AnswersOptions): AnswersInFlight {
  const { memoryBytes, metrics, waitMs = WAIT_MS, ...limits } = options;
  const shares = new AnswerShares(memoryBytes, metrics);
  return {
    open(owner, response) {
      shares.refuseWhileOthersWait(owner);
      return new Account({ shares, limits, waitMs, owner, response });
    },
  };
}

interface AccountFacts {
  shares: AnswerShares;
  limits: AnswerLimits;
  waitMs: number;
  owner: AnswerOwner;
  response: Answering;
}

class Account implements AnswerInFlight {
  readonly #facts: AccountFacts;
  /** The shares that the answer has joined, the narrowest first; empty while it is small. */
  #shares: readonly [Scope, MemoryShare][] = [];
  #bytes = 0;
  #countedBytes = 0;
  #isObserved = false;
  #isClosed = false;
  #stopWaiting: (() => void) | undefined;

  constructor(facts: AccountFacts) {
    this.#facts = facts;
  }

  get limits(): AnswerLimits {
    return this.#facts.limits;
  }

  get isLarge(): boolean {
    return this.#bytes > SMALL_ANSWER_BYTES;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.#count(this.isLarge ? this.#bytes : 0);
  }

  room(nextBytes = 0): Promise<void> | undefined {
    if (!this.isLarge) {
      this.#leave();
      if (this.#bytes + nextBytes <= SMALL_ANSWER_BYTES) return undefined;
    }
    this.#join();
    for (const [scope, share] of this.#shares) if (!share.admits(this)) return this.#waitFor(scope, share);
    return undefined;
  }

  #count(bytes: number): void {
    const added = bytes - this.#countedBytes;
    if (added === 0) return;
    this.#join();
    this.#countedBytes = bytes;
    for (const [, share] of this.#shares) share.add(added);
    if (bytes === 0) this.#leave();
  }

  /** Does nothing for a response that has closed: it emits no further event, so its memory would never be released. */
  #join(): void {
    const { shares, owner, response } = this.#facts;
    if (this.#shares.length > 0 || this.#isClosed) return;
    if (response.destroyed) this.#isClosed = true;
    else {
      if (!this.#isObserved) response.once('close', () => this.#close());
      this.#isObserved = true;
      this.#shares = shares.join(owner);
    }
  }

  #leave(): void {
    if (this.#shares.length === 0) return;
    this.#facts.shares.leave(this.#facts.owner, this);
    this.#shares = [];
  }

  #close(): void {
    this.#stopWaiting?.();
    this.#bytes = 0;
    this.#count(0);
    this.#leave();
    this.#isClosed = true;
  }

  #waitFor(scope: Scope, share: MemoryShare): Promise<void> {
    const { shares, waitMs } = this.#facts;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (): void => {
      clearTimeout(timer);
      share.stopWaiting(wake);
      shares.waiting -= 1;
      this.#stopWaiting = undefined;
    };
    const wake = (): void => {
      end();
      const more = this.room();
      if (more === undefined) resolve();
      else more.then(resolve, reject);
    };
    const timer = setTimeout(() => {
      end();
      reject(shares.refusal(scope));
    }, waitMs);
    this.#stopWaiting = () => {
      end();
      resolve();
    };
    shares.waiting += 1;
    share.wait(wake);
    return promise;
  }
}
