/** Calls the remote SCIM server of an organization, with retries after temporary failures. */
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_PAGE_BYTES } from '../../../../domain/directory/limits.ts';
import { retryAfterMs } from '../../../../domain/retry-after.ts';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundResponseTooLargeError,
  OutboundTimeoutError,
} from '../../../../platform/outbound-error.ts';
import type { OutboundGuard, OutboundResponse } from '../../../../platform/outbound-guard.ts';
import { SourceError } from '../source-reader.ts';

export interface ScimClientOptions {
  guard: Pick<OutboundGuard, 'fetch'>;
  /** The base address, without a trailing slash. */
  baseUrl: string;
  token: string;
  times?: SourceTimes | undefined;
}

/** The timeouts and waits for a source. */
export interface SourceTimes {
  /** The timeout of one request, its body included. */
  requestMs: number;
  /** The waits between the attempts of one request. The number of attempts is one more than the number of waits. */
  retryMs: readonly number[];
  /** The longest wait that a `Retry-After` can cause. */
  longestWaitMs: number;
}

const SOURCE_TIMES: SourceTimes = {
  requestMs: 60_000,
  retryMs: [1_000, 5_000, 15_000, 30_000, 60_000],
  longestWaitMs: 5 * 60_000,
};

/** An answer that is no failure of the source; the caller decides its meaning. */
export type ScimAnswer =
  | { kind: 'ok'; body: Record<string, unknown> }
  | { kind: 'not_found' }
  | { kind: 'refused' }
  | { kind: 'too_large' };

/** Creates a client whose requests all go through the outbound guard. Redirects are not followed. */
export function createScimClient(options: ScimClientOptions) {
  const { retryMs, longestWaitMs } = options.times ?? SOURCE_TIMES;
  return {
    /**
     * Returns the JSON object of a 200, `not_found` for a 404, and `refused` for a request that the server does not
     * support (400 and 501). Repeats attempts after temporary failures. With `maxBytes`, a larger answer is
     * `too_large`. Rejects with a SourceError otherwise.
     */
    async get(path: string, signal: AbortSignal, maxBytes?: number): Promise<ScimAnswer> {
      for (let attempt = 0; ; attempt += 1) {
        const result = await attemptOnce(options, path, signal, maxBytes);
        if (!('failure' in result)) return result;
        const waitMs = retryMs[attempt];
        if (waitMs === undefined) throw new SourceError('source_unavailable', result.failure);
        await delay(Math.min(result.retryAfterMs ?? waitMs, longestWaitMs), undefined, { signal });
      }
    },
  };
}

/** Sends GET requests to a SCIM 2.0 server. */
export type ScimClient = ReturnType<typeof createScimClient>;

/** A failure after which the request is repeated. */
interface TemporaryFailure {
  failure: string;
  retryAfterMs?: number | undefined;
}

async function attemptOnce(
  { guard, baseUrl, token, times = SOURCE_TIMES }: ScimClientOptions,
  path: string,
  signal: AbortSignal,
  maxBytes: number | undefined,
): Promise<ScimAnswer | TemporaryFailure> {
  try {
    const response = await guard.fetch(`${baseUrl}${path}`, {
      headers: {
        accept: 'application/scim+json, application/json;q=0.9',
        'accept-encoding': 'identity',
        authorization: `Bearer ${token}`,
        'user-agent': 'Sluice-Directory/1.0',
      },
      signal,
      timeoutMs: times.requestMs,
      maxResponseBytes: maxBytes ?? MAX_PAGE_BYTES,
    });
    return await judge(response);
  } catch (error) {
    if (error instanceof OutboundResponseTooLargeError && maxBytes !== undefined)
      return { kind: 'too_large' };
    if (error instanceof OutboundResponseTooLargeError)
      throw new SourceError('source_too_large', 'An answer of the source is larger than 64 MiB.');
    if (error instanceof OutboundBlockedError) throw new SourceError('source_unavailable', error.message);
    if (error instanceof OutboundTimeoutError || error instanceof OutboundNetworkError)
      return { failure: error.message };
    throw error;
  }
}

async function judge(response: OutboundResponse): Promise<ScimAnswer | TemporaryFailure> {
  const { status, headers, body } = response;
  if (status === 200) return { kind: 'ok', body: await readObject(response) };
  body.destroy();
  const message = `The source answered with status ${status}.`;
  if (status === 401 || status === 403) throw new SourceError('source_unauthorized', message);
  if (status === 404) return { kind: 'not_found' };
  if (status === 400 || status === 501) return { kind: 'refused' };
  if (status === 408 || status === 429 || status >= 500) {
    return { failure: message, retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()) };
  }
  throw new SourceError('source_invalid', message);
}

async function readObject({ body }: OutboundResponse): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  const value = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SourceError('source_invalid', 'An answer of the source is not a JSON object.');
  return value as Record<string, unknown>;
}

/** Matches escapes that JSON allows and Postgres cannot store: NUL, and surrogates that may be unpaired. */
const DOUBTFUL_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** Returns the value; undefined for a text that is no JSON. Characters that Postgres cannot store are replaced. */
function parseJson(text: string): unknown {
  try {
    return DOUBTFUL_ESCAPE.test(text) ? JSON.parse(text, storable) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}
