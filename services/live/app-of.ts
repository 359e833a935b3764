/** Identifies the caller's app from its HTTP referer and title. */
import type { AppFacts } from '../../domain/ledger/generation.ts';
import type { ClientFacts } from '../../domain/principal.ts';

/** Caches the origins of recent referers; most requests of a key come from one app. */
const originOfReferer = new Map<string, string | null>();
const MAX_CACHED = 1_000;

/** Returns the app that a request names; null when its referer is no URL. */
export function appOf({ referer, title }: ClientFacts): AppFacts | null {
  if (referer === undefined) return null;
  let origin = originOfReferer.get(referer);
  if (origin === undefined) {
    origin = originOf(referer);
    if (originOfReferer.size >= MAX_CACHED) originOfReferer.clear();
    originOfReferer.set(referer, origin);
  }
  return origin === null ? null : { origin, title: title ?? null };
}

function originOf(referer: string): string | null {
  const url = URL.canParse(referer) ? new URL(referer) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
}
