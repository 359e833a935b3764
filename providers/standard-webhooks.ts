/** Verifies the signatures of vendors' callbacks. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface SignedMessage {
  headers: IncomingHttpHeaders;
  /** The bytes as received. */
  body: Buffer;
  nowMs: number;
}

const SECRET_PREFIX = 'whsec_';
const SIGNATURE_PREFIX = 'v1,';
/**
 * The largest difference between the message's clock and this one. Older messages may be replays, and newer ones come
 * from a fast clock.
 */
const TOLERANCE_SECONDS = 300;

/**
 * Returns whether a message has a valid signature of Standard Webhooks 1.0.0 (symmetric, `v1`) by this secret, which is
 * `whsec_` and base64. During a rotation several signatures may be listed; one valid one is enough. A message repeated
 * within the tolerance is valid each time.
 */
export function verifyStandardWebhook(secret: string, { headers, body, nowMs }: SignedMessage): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!isRecent(timestamp, nowMs)) return false;
  const key = Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => isSignature(signature, expected));
}

function isRecent(timestamp: string, nowMs: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp)) <= TOLERANCE_SECONDS;
}

function isSignature(text: string, expected: Buffer): boolean {
  if (!text.startsWith(SIGNATURE_PREFIX)) return false;
  const given = Buffer.from(text.slice(SIGNATURE_PREFIX.length), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
