/** Keeps a credential that expires, such as a token, and replaces it in time. */
import { ProviderError } from '../domain/provider-error.ts';
import { PUBLIC_MESSAGES } from './public-message.ts';

/** A credential that is valid for some time. */
export interface Expiring<T> {
  value: T;
  expiresAtMs: number;
  /** The time from which a new one is asked for. Absent: five minutes before the end. */
  renewAtMs?: number;
}

const RENEW_BEFORE_MS = 5 * 60_000;
/** The time after which a failed renewal is repeated. */
const REPEAT_AFTER_MS = 30_000;
/** The longest time that a call waits for a new credential. One that arrives later serves the next calls. */
const MAX_WAIT_MS = 10_000;
/** The time after which a request for a credential counts as lost, such as one over a dead connection. */
const LOST_AFTER_MS = 60_000;

/**
 * Keeps one credential. Calls at the same time share one request for it. It is used until it expires, also while its
 * renewal takes long or fails.
 */
export class Renewed<T> {
  readonly #fetch: () => Promise<Expiring<T>>;
  #kept: Expiring<T> | undefined;
  #replaced: Expiring<T> | undefined;
  #renewAtMs = 0;
  #askedAtMs = 0;
  #pending: Promise<T> | undefined;

  /** `fetch` gets a new credential. It throws ProviderError, as `withoutCredential` makes it. */
  constructor(fetch: () => Promise<Expiring<T>>) {
    this.#fetch = fetch;
  }

  /** Returns a credential that is valid now. Throws ProviderError. */
  async get(): Promise<T> {
    const now = Date.now();
    if (this.#kept === undefined || now >= this.#kept.expiresAtMs) return within(this.#renewed());
    // A renewal that fails now is tried again by the next call, which reports it if the credential has expired.
    if (now >= this.#renewAtMs) this.#renewed().catch(() => {});
    return this.#kept.value;
  }

  /** Returns the credentials that requests of this moment may contain. */
  get recent(): T[] {
    return [this.#kept, this.#replaced].flatMap((each) => each?.value ?? []);
  }

  #renewed(): Promise<T> {
    const now = Date.now();
    if (this.#pending !== undefined && now - this.#askedAtMs < LOST_AFTER_MS) return this.#pending;
    this.#askedAtMs = now;
    this.#renewAtMs = now + REPEAT_AFTER_MS;
    const asked = this.#renew().finally(() => {
      if (this.#pending === asked) this.#pending = undefined;
    });
    return (this.#pending = asked);
  }

  async #renew(): Promise<T> {
    const fetched = await this.#fetch();
    if (fetched.value !== this.#kept?.value) this.#replaced = this.#kept;
    this.#kept = fetched;
    this.#renewAtMs = fetched.renewAtMs ?? fetched.expiresAtMs - RENEW_BEFORE_MS;
    return fetched.value;
  }
}

/** Returns the error for an identity that gets no credential, for good or for now. Nothing has been sent. */
export function withoutCredential(
  code: 'unauthorized' | 'not_connected' | 'overloaded',
  cause: unknown,
): ProviderError {
  const [retryable, publicMessage] = [code !== 'unauthorized', PUBLIC_MESSAGES[code]];
  return new ProviderError({ code, sent: false, retryable, publicMessage, cause });
}

/** Settles with the work, or rejects when a call has waited for long enough. */
function within<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(withoutCredential('overloaded', new Error('no credential arrived in time')));
  const timer = setTimeout(late, MAX_WAIT_MS);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
