/** Sends one webhook request to a customer's URL, and judges the response. */
import type { Readable } from 'node:stream';
import type { SealedSecret } from '../../db/webhooks/webhook-secret-store.ts';
import type { AttemptResult } from '../../db/webhooks/webhook-store.ts';
import { retryAfterMs } from '../../domain/retry-after.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { readBeginning } from '../../platform/outbound-body.ts';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundTimeoutError,
} from '../../platform/outbound-error.ts';
import type { OutboundGuard } from '../../platform/outbound-guard.ts';
import { openSecret } from './sealed-secret.ts';
import { signatureHeaders } from './signature.ts';

export interface SendDeps {
  guard: Pick<OutboundGuard, 'fetch'>;
  encryption: Pick<Encryption, 'open'>;
  timeoutMs: number;
}

/** An event to send to a receiver, with the secrets that sign it, the current one first. */
export interface SignableEvent {
  url: string;
  eventId: string;
  payload: string;
  secrets: SealedSecret[];
}

/** The receiver's answer, or the reason why there is none. */
export type SendResult = AttemptResult & {
  /** The wait that the receiver requested. */
  retryAfterMs?: number | undefined;
};

/**
 * The largest wait that a receiver may request. It equals the schedule's longest wait, so no receiver can delay a
 * delivery for years.
 */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

const EXCERPT_BYTES = 1_024;

/**
 * Signs the event and sends it once, through the outbound guard. Rejects only with the reason of `signal`; a receiver
 * that does not answer is a result.
 */
export async function sendEvent(
  { guard, encryption, timeoutMs }: SendDeps,
  { url, eventId, payload, secrets: sealed }: SignableEvent,
  signal?: AbortSignal,
): Promise<SendResult> {
  const secrets = sealed.map((secret) => openSecret(encryption, secret));
  // Do not send an unsigned event. A secret that is created meanwhile signs the next attempt.
  if (secrets.length === 0) return notAnswered('refused', 'the workspace has no webhook secret');
  try {
    const response = await guard.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Sluice-Webhooks/1.0',
        ...signatureHeaders(secrets, eventId, payload, Date.now()),
      },
      body: payload,
      timeoutMs,
      signal,
    });
    const responseExcerpt = await readExcerpt(response.body);
    return judge(response.status, headerOf(response.headers, 'retry-after'), responseExcerpt);
  } catch (error) {
    if (signal?.aborted) throw error;
    if (error instanceof OutboundBlockedError) return notAnswered('refused', error.reason);
    return notAnswered('failed', reasonOf(error));
  }
}

/** Returns the result of an attempt without an answer. */
function notAnswered(outcome: 'refused' | 'failed', reason: string): SendResult {
  return { outcome, statusCode: null, reason, responseExcerpt: null };
}

/**
 * Judges an answer: only 2xx is a success, redirects are failures, and 410 refuses further attempts (Standard
 * Webhooks 1.0.0).
 */
function judge(status: number, retryAfter: string | undefined, responseExcerpt: string | null): SendResult {
  const answered = { statusCode: status, responseExcerpt };
  if (status >= 200 && status < 300) return { ...answered, outcome: 'delivered', reason: null };
  const outcome = status === 410 ? 'refused' : 'failed';
  const waitMs = retryAfterMs(retryAfter, Date.now());
  return {
    ...answered,
    outcome,
    reason: `the receiver answered ${status}`,
    retryAfterMs: waitMs && Math.min(waitMs, MAX_RETRY_AFTER_MS),
  };
}

function headerOf(headers: Record<string, string | string[] | undefined>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns a reason for the log that contains no address. The guard's own messages contain none; other messages may. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundTimeoutError || error instanceof OutboundNetworkError) return error.message;
  return error instanceof Error ? error.name : 'unknown';
}

/** Reads 1 KiB of an answer at most, as text for the delivery log. */
async function readExcerpt(body: Readable): Promise<string> {
  const beginning = await readBeginning(body, EXCERPT_BYTES);
  // Postgres does not accept NUL in text.
  return beginning.toString('utf8').replaceAll('\0', '');
}
