import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface SignedWebhook {
  /** The workspace's signing secret, `whsec_…`. */
  secret: string;
  headers: IncomingHttpHeaders;
  /** The body as it arrived, before any parsing. */
  body: string;
  now?: Date;
}

/** Rejects older and newer events, so that a recorded one cannot be sent again later. */
const TOLERANCE_SECONDS = 300;

/**
 * Returns whether a webhook comes from the gateway and is fresh, by the rules of Standard Webhooks 1.0.0. An event may arrive more than
 * once: its `webhook-id` is then the same.
 */
export function verifyWebhook({ secret, headers, body, now = new Date() }: SignedWebhook): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  const age = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (!(age <= TOLERANCE_SECONDS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // While a secret is rotated, an event has a signature of each one.
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
