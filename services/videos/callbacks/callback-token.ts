import { createHmac, timingSafeEqual } from 'node:crypto';

/** The proof in a callback's address: only who was given the address can know it. */
export interface CallbackTokens {
  issue(provider: string, jobId: string): string;
  verify(provider: string, jobId: string, token: string): boolean;
}

/**
 * HMAC-SHA256 over provider and job, so that a token opens nothing but its own job's callback. Keys come
 * current first; a token of an older one stays good while its key is configured, so keys can rotate.
 */
export function createCallbackTokens(keys: Buffer[]): CallbackTokens {
  const [current] = keys;
  if (current === undefined) throw new Error('callback tokens need at least one key');
  return {
    issue: (provider, jobId) => tokenOf(current, provider, jobId),
    verify: (provider, jobId, token) =>
      keys.some((key) => isSame(Buffer.from(tokenOf(key, provider, jobId)), Buffer.from(token))),
  };
}

function tokenOf(key: Buffer, provider: string, jobId: string): string {
  return createHmac('sha256', key).update(`${provider}\n${jobId}`).digest('base64url');
}

/** The text, not the bytes it stands for: another spelling of the same bytes is no token of ours. */
function isSame(expected: Buffer, given: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
