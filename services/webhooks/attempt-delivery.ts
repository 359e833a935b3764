import { createWebhookSecretStore } from '../../db/webhook-secret-store.ts';
import { createWebhookStore, type AttemptResult, type WebhookDelivery } from '../../db/webhook-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { OutboundBlockedError } from '../../platform/outbound-error.ts';
import type { OutboundGuard } from '../../platform/outbound-guard.ts';
import { retryAfterMs } from '../../domain/retry-after.ts';
import { readExcerpt } from './read-excerpt.ts';
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
  const delivery = await store.find(deliveryId);
  if (delivery === null || delivery.status !== 'pending') return { kind: 'stopped' };
  await store.beginAttempt(deliveryId, number.replay, number.attempt);
  const { result, step } = await post(deps, delivery, signal);
  await store.endAttempt(deliveryId, number.replay, number.attempt, result);
  if (step.kind !== 'failed') await store.complete(deliveryId, step.kind);
  return step;
}

async function post(
  deps: AttemptDeps,
  delivery: WebhookDelivery,
  signal: AbortSignal,
): Promise<{ result: AttemptResult; step: AttemptStep }> {
  const secrets = await signingSecrets(deps, delivery.workspaceId);
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
    const responseExcerpt = await readExcerpt(response.body).catch(() => null);
    return judge(response.status, headerOf(response.headers, 'retry-after'), responseExcerpt);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof OutboundBlockedError ? error.reason : reasonOf(error);
    const outcome = error instanceof OutboundBlockedError ? 'refused' : 'failed';
    return {
      result: { outcome, statusCode: null, reason, responseExcerpt: null },
      step: { kind: 'failed', word: reason },
    };
  }
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
  return { result, step: waitMs === undefined ? step : { ...step, retryAfterMs: waitMs } };
}

async function signingSecrets(deps: AttemptDeps, workspaceId: string): Promise<string[]> {
  const sealed = await createWebhookSecretStore(deps.knex).signing(workspaceId);
  return sealed.map(({ id, sealedSecret }) =>
    deps.encryption.open(sealedSecret, `webhook_secrets:${id}`).toString('utf8'),
  );
}

function headerOf(headers: Record<string, string | string[] | undefined>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The cause in a word, without addresses. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'unknown';
}
