import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Creates tokens: HMAC-SHA256 over provider and job, so that a token is valid only for its own job's callback. The
 * current key comes first. Tokens of an older key stay valid while it is configured, so keys can rotate.
 */
export function createCallbackTokens(keys: Buffer[]) {
  const [current] = keys;
  if (current === undefined) throw new Error('callback tokens need at least one key');
  return {
    issue: (provider: string, jobId: string): string => tokenOf(current, provider, jobId),
    verify: (provider: string, jobId: string, token: string): boolean =>
      keys.some((key) => isSame(Buffer.from(tokenOf(key, provider, jobId)), Buffer.from(token))),
  };
}

/** Issues and verifies the token in a callback's address, which only the addressed vendor can know. */
export type CallbackTokens = ReturnType<typeof createCallbackTokens>;

function tokenOf(key: Buffer, provider: string, jobId: string): string {
  return createHmac('sha256', key).update(`${provider}\n${jobId}`).digest('base64url');
}

/**
 * Compares the encoded texts, not the decoded bytes, so that another encoding of the same bytes is not a valid token.
 */
function isSame(expected: Buffer, given: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
