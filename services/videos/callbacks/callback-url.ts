/** Builds the address to which a video provider sends callbacks about one job, with a token that proves them. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface CallbackUrlOptions {
  /** The scheme, host and optional path, without a trailing slash. */
  publicUrl: string;
  /** True in production, where callback addresses must be https. */
  isProduction: boolean;
  tokens: CallbackTokens;
}

/** Returns the callback address that a vendor gets for one job; undefined when vendors cannot reach this deployment. */
export type CallbackUrl = (provider: string, jobId: string) => string | undefined;

/**
 * Creates callback addresses. Vendors can reach only https addresses. On a laptop, a vendor on the same machine can
 * also reach loopback.
 */
export function createCallbackUrl({ publicUrl, isProduction, tokens }: CallbackUrlOptions): CallbackUrl {
  const { protocol, hostname } = new URL(publicUrl);
  const isReachable = protocol === 'https:' || (!isProduction && isLoopback(hostname));
  return (provider, jobId) =>
    isReachable
      ? `${publicUrl}/api/v1/provider-callbacks/${provider}/${jobId}?token=${tokens.issue(provider, jobId)}`
      : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

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
