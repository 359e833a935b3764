import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** Clients that submit video jobs at a steady pace, and send each again until it is accepted. */
export interface JobClients {
  /** Ids of the jobs that were accepted. */
  accepted: Set<string>;
  /** Answers that no client should get: neither an acceptance nor a reason to try again. */
  refusals: string[];
  /** Submits no more jobs, and resolves when each one under way is accepted. */
  stop(): Promise<void>;
}

export interface JobClientsOptions {
  origin: string;
  apiKey: string;
  callbackUrl: string;
  everyMs: number;
}

const RETRY_AFTER_MS = 200;
/** A client gives up on a connection that is silent, and tries again under the same key. */
const ANSWER_WITHIN_MS = 20_000;
/** Statuses after which the same request may be sent again. */
const RETRYABLE = new Set([409, 429, 500, 502, 503, 504]);

export function startJobClients({ origin, apiKey, callbackUrl, everyMs }: JobClientsOptions): JobClients {
  const accepted = new Set<string>();
  const refusals: string[] = [];
  const underWay = new Set<Promise<void>>();

  /** Returns true when there is nothing to send again. */
  const ask = async (idempotencyKey: string): Promise<boolean> => {
    const response = await fetch(`${origin}/api/v1/videos`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ model: 'local/clip-canned', prompt: 'a test', callback_url: callbackUrl }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    if (response.status === 202) accepted.add((JSON.parse(text) as { id: string }).id);
    else if (RETRYABLE.has(response.status)) return false;
    else refusals.push(`POST /videos answered ${response.status}: ${text}`);
    return true;
  };
  const submit = async (): Promise<void> => {
    const idempotencyKey = randomUUID();
    while (!(await ask(idempotencyKey).catch(() => false))) await delay(RETRY_AFTER_MS);
  };
  const timer = setInterval(() => {
    const submission = submit().finally(() => underWay.delete(submission));
    underWay.add(submission);
  }, everyMs);
  return {
    accepted,
    refusals,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}
