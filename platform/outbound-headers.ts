/** Decides which headers outbound requests send, also after a redirect. */
import type { IncomingHttpHeaders } from 'node:http';
import { HOP_BY_HOP } from '../domain/hop-by-hop.ts';
import { HOPS_HEADER } from '../domain/hops.ts';

/** Headers of the connection, not of the message. The HTTP client sets them itself, and customers must not. */
const CONNECTION_HEADERS = new Set([...HOP_BY_HOP, 'content-length', 'expect', 'host']);

/**
 * Headers that are kept when a redirect leads to another origin. All others are dropped, since vendors send credentials
 * in headers of any name.
 */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'range',
  'user-agent',
  HOPS_HEADER,
]);

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

export function requestHeaders(headers: Record<string, string>): Record<string, string> {
  return filter(headers, (name) => !CONNECTION_HEADERS.has(name));
}

export function harmlessHeaders(headers: Record<string, string>): Record<string, string> {
  return filter(headers, (name) => HARMLESS_HEADERS.has(name));
}

/** Returns the target of a redirect; undefined if the answer is final. */
export function redirectLocation(
  method: string,
  answer: { statusCode: number; headers: IncomingHttpHeaders },
): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  return REDIRECT_STATUSES.has(answer.statusCode) ? answer.headers.location : undefined;
}

function filter(headers: Record<string, string>, keep: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in headers) if (keep(name.toLowerCase())) kept[name] = headers[name]!;
  return kept;
}
