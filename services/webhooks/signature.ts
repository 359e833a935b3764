/** Signs webhooks by the rules of Standard Webhooks. */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** Returns a secret of 256 random bits, in the form of Standard Webhooks 1.0.0. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** Returns the three headers of Standard Webhooks 1.0.0, with the time of this attempt. */
export function signatureHeaders(
  secrets: string[],
  eventId: string,
  payload: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = Math.floor(nowMs / 1_000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    const signed = `${eventId}.${timestamp}.${payload}`;
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
