/** Reads and writes the cookie of the console's sessions. */
import type { IncomingHttpHeaders } from 'node:http';

/** Browsers accept the prefix from https pages only, and then keep the cookie from other hosts and paths. */
function nameFor(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-sluice-session' : 'sluice-session';
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/**
 * Returns the token of the cookie; undefined without one. The cookie does not count in a request that a browser sends
 * for a page of another site (Fetch Metadata, `Sec-Fetch-Site`).
 */
export function sessionTokenIn(headers: IncomingHttpHeaders, publicUrl: string): string | undefined {
  const { cookie } = headers;
  if (cookie === undefined || cookie === '') return undefined;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return undefined;
  const start = `${nameFor(publicUrl)}=`;
  for (const pair of cookie.split(';')) {
    const trimmed = pair.trim();
    if (trimmed.startsWith(start) && trimmed.length > start.length) return trimmed.slice(start.length);
  }
  return undefined;
}

/** Returns the header that sets the cookie; a lifetime of 0 removes it. */
export function setSessionCookie(token: string, publicUrl: string, lifetimeMs: number): string {
  const attributes = ['Path=/', `Max-Age=${lifetimeMs / 1_000}`, 'HttpOnly', 'SameSite=Strict'];
  if (isSecure(publicUrl)) attributes.push('Secure');
  return [`${nameFor(publicUrl)}=${token}`, ...attributes].join('; ');
}
