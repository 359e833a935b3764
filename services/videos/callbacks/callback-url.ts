/** Builds the address to which a video provider sends callbacks about one job. */
import type { CallbackTokens } from './callback-token.ts';

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
