/** Makes one attempt to deliver a webhook event, and records its result. */
import { createWebhookStore, type WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { type SendDeps, sendEvent, type SendResult } from './send-event.ts';

export interface AttemptDeps extends SendDeps {
  knex: Handle;
}

export interface AttemptNumber {
  replay: number;
  /** The number of the attempt, from 1. */
  attempt: number;
}

export type AttemptStep =
  | { kind: 'delivered' }
  /** The receiver refused further attempts (410), or the delivery is over. */
  | { kind: 'stopped' }
  | { kind: 'failed'; word: string; retryAfterMs?: number | undefined };

/**
 * Makes one attempt: sends the stored bytes with a new signature, and logs the answer. The attempt's row is written
 * before the request is sent. One attempt may send more than one request; the receiver deduplicates by `webhook-id`.
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
  const { delivery, secrets } = started;
  const result = await sendEvent(deps, { ...delivery, secrets }, signal);
  const step = stepAfter(result);
  const end = step.kind === 'failed' ? null : step.kind;
  await store.endAttempt(deliveryId, replay, attempt, result, end);
  return step;
}

function over(delivery: WebhookDelivery | null, replay: number): AttemptStep {
  // Otherwise a replay has replaced the run that makes this attempt.
  const isDelivered = delivery?.replays === replay && delivery.status === 'delivered';
  return { kind: isDelivered ? 'delivered' : 'stopped' };
}

function stepAfter({ outcome, statusCode, reason, retryAfterMs }: SendResult): AttemptStep {
  if (outcome === 'delivered') return { kind: 'delivered' };
  if (statusCode === 410) return { kind: 'stopped' };
  return { kind: 'failed', word: reason ?? '', retryAfterMs };
}
