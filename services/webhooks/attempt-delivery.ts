import {
  createWebhookStore,
  type AttemptResult,
  type StartedAttempt,
  type WebhookDelivery,
} from '../../db/webhook-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { Encryption } from '../../platform/encryption.ts';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundTimeoutError,
} from '../../platform/outbound-error.ts';
import type { OutboundGuard } from '../../platform/outbound-guard.ts';
import { retryAfterMs } from '../../domain/retry-after.ts';
import { readExcerpt } from './read-excerpt.ts';
import { openSecret } from './sealed-secret.ts';
import { signatureHeaders } from './signature.ts';

export interface AttemptDeps {
  knex: Handle;
  guard: Pick<OutboundGuard, 'fetch'>;
  encryption: Pick<Encryption, 'open'>;
  timeoutMs: number;
}

export interface AttemptNumber {
  replay: number;
  /** From 1. */
  attempt: number;
}

/** As long as the schedule's own longest wait: no receiver holds a delivery open for years. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

export type AttemptStep =
  | { kind: 'delivered' }
  /** The receiver asked for no more (410), or the delivery is over. */
  | { kind: 'stopped' }
  | { kind: 'failed'; word: string; retryAfterMs?: number };

/**
 * One attempt: sends the stored bytes, signed anew, and logs what came back. The attempt's row is written
 * before the request leaves. Not promised: exactly one request; the receiver dedupes on `webhook-id`.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  deliveryId: string,
  number: AttemptNumber,
  signal: AbortSignal,
): Promise<AttemptStep> {
  const store = createWebhookStore(deps.knex);
  const { replay, attempt } = number;
  const started = await store.beginAttempt(deliveryId, replay, attempt);
  if (started === null) return over(await store.find(deliveryId), replay);
  const { result, step } = await post(deps, started, signal);
  const end = step.kind === 'failed' ? null : step.kind;
  await store.endAttempt(deliveryId, replay, attempt, result, end);
  return step;
}

function over(delivery: WebhookDelivery | null, replay: number): AttemptStep {
  // Otherwise a replay has taken over from the run that asks.
  const isDelivered = delivery?.replays === replay && delivery.status === 'delivered';
  return { kind: isDelivered ? 'delivered' : 'stopped' };
}

async function post(
  deps: AttemptDeps,
  { delivery, secrets: sealed }: StartedAttempt,
  signal: AbortSignal,
): Promise<{ result: AttemptResult; step: AttemptStep }> {
  const secrets = sealed.map((secret) => openSecret(deps.encryption, secret));
  // Unsigned, an event proves nothing; a secret that is made meanwhile signs the next attempt.
  if (secrets.length === 0) return notDelivered('refused', 'the workspace has no webhook secret');
  try {
    const response = await deps.guard.fetch(delivery.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Sluice-Webhooks/1.0',
        ...signatureHeaders(secrets, delivery.eventId, delivery.payload, Date.now()),
      },
      body: delivery.payload,
      signal,
      timeoutMs: deps.timeoutMs,
    });
    const responseExcerpt = await readExcerpt(response.body);
    return judge(response.status, headerOf(response.headers, 'retry-after'), responseExcerpt);
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof OutboundBlockedError) return notDelivered('refused', error.reason);
    return notDelivered('failed', reasonOf(error));
  }
}

/** No answer came, and none will come of this attempt. */
function notDelivered(
  outcome: 'refused' | 'failed',
  reason: string,
): { result: AttemptResult; step: AttemptStep } {
  return {
    result: { outcome, statusCode: null, reason, responseExcerpt: null },
    step: { kind: 'failed', word: reason },
  };
}

/** Only 2xx is success; redirects are failures; 410 stops (Standard Webhooks 1.0.0). */
function judge(
  status: number,
  retryAfter: string | undefined,
  responseExcerpt: string | null,
): { result: AttemptResult; step: AttemptStep } {
  const delivered = status >= 200 && status < 300;
  const reason = delivered ? null : `the receiver answered ${status}`;
  const result: AttemptResult = {
    outcome: delivered ? 'delivered' : status === 410 ? 'refused' : 'failed',
    statusCode: status,
    reason,
    responseExcerpt,
  };
  if (delivered) return { result, step: { kind: 'delivered' } };
  if (status === 410) return { result, step: { kind: 'stopped' } };
  const waitMs = retryAfterMs(retryAfter, Date.now());
  const step: AttemptStep = { kind: 'failed', word: reason ?? '' };
  if (waitMs === undefined) return { result, step };
  return { result, step: { ...step, retryAfterMs: Math.min(waitMs, MAX_RETRY_AFTER_MS) } };
}

function headerOf(headers: Record<string, string | string[] | undefined>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What the guard says of a failed exchange holds no address; anything else may. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundTimeoutError || error instanceof OutboundNetworkError) return error.message;
  return error instanceof Error ? error.name : 'unknown';
}
