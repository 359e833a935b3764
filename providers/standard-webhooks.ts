import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface SignedMessage {
  headers: IncomingHttpHeaders;
  /** The very bytes that were received. */
  body: Buffer;
  nowMs: number;
}

const SECRET_PREFIX = 'whsec_';
const SIGNATURE_PREFIX = 'v1,';
/** An old message may be one that somebody kept; a young one may come from a clock that runs ahead. */
const TOLERANCE_SECONDS = 300;

/**
 * Whether a message carries a signature of Standard Webhooks 1.0.0 (symmetric, `v1`) by this secret, which is
 * `whsec_` and base64. Several signatures may be listed, as while a secret is rotated: one that fits is enough.
 * A message that is repeated within the tolerance is genuine every time.
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
