import type { AppFacts } from '../../domain/ledger/generation.ts';
import type { ClientFacts } from '../../domain/principal.ts';

/** The last referers seen; most requests of a key come from one app. */
const originOfReferer = new Map<string, string | null>();
const REMEMBERED = 1_000;

/** The app that a request names, if its referer is a URL. */
export function appOf({ referer, title }: ClientFacts): AppFacts | null {
  if (referer === undefined) return null;
  let origin = originOfReferer.get(referer);
  if (origin === undefined) {
    origin = originOf(referer);
    if (originOfReferer.size >= REMEMBERED) originOfReferer.clear();
    originOfReferer.set(referer, origin);
  }
  return origin === null ? null : { origin, title: title ?? null };
}

function originOf(referer: string): string | null {
  const url = URL.canParse(referer) ? new URL(referer) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
}
