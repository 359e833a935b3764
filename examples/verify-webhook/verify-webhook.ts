/** Shows how a receiver verifies the signature of a webhook with Node alone. */
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

/**
 * The most seconds by which an event may be older or newer than the clock. Older events may be recorded ones that are
 * sent again.
 */
const TOLERANCE_SECONDS = 300;

/**
 * Returns whether a webhook comes from the gateway and is fresh, by the rules of Standard Webhooks 1.0.0. An event may
 * arrive more than once, with the same `webhook-id`.
 */
export function verifyWebhook({ secret, headers, body, now = new Date() }: SignedWebhook): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  const age = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (!(age <= TOLERANCE_SECONDS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // During the rotation of a secret, an event has a signature by each secret.
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
