import type { CallbackTokens } from './callback-token.ts';

export interface CallbackUrlOptions {
  /** Scheme, host and perhaps a path, without a trailing slash. */
  publicUrl: string;
  /** Production is never called back over http. */
  isProduction: boolean;
  tokens: CallbackTokens;
}

/** The address that a vendor is given for one job; undefined where this deployment cannot be called back. */
export type CallbackUrl = (provider: string, jobId: string) => string | undefined;

/** A vendor reaches https addresses only; on a laptop a vendor on the same machine reaches loopback too. */
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
