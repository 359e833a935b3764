/** Selects which headers pass between an intern and the host that it calls. */
import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '../../../domain/errors.ts';
import { HOP_BY_HOP } from '../../../domain/hop-by-hop.ts';
import type { AnswerMask } from './mask/masks.ts';

/**
 * Headers in which proxies in front of the gateway tell it the address or the place of the caller. Hosts must not learn
 * them, and would take them for facts of the gateway's own proxy.
 */
const FACTS_OF_CALLERS = [
  'fastly-client-ip',
  'fly-client-ip',
  'true-client-ip',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-original-forwarded-for',
  'x-real-ip',
];

/**
 * Headers of requests that are not passed on. In answers by ranges, each part could contain a part of a value, which
 * masking would miss. The gateway sets the accepted encoding itself.
 */
const REMOVED_FROM_REQUESTS = new Set([
  ...HOP_BY_HOP,
  ...FACTS_OF_CALLERS,
  'accept-encoding',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'if-range',
  'range',
  'via',
]);

/**
 * Headers of answers that are not passed on. Masking changes the length, the gateway sets its own request id, and its
 * answers must not be cached. The others concern a whole origin, which is the gateway's and not the host's.
 */
const REMOVED_FROM_ANSWERS = new Set([
  ...HOP_BY_HOP,
  'alt-svc',
  'cache-control',
  'cdn-cache-control',
  'clear-site-data',
  'content-encoding',
  'content-length',
  'nel',
  'public-key-pins',
  'report-to',
  'service-worker-allowed',
  'set-cookie2',
  'strict-transport-security',
  'surrogate-control',
  'x-request-id',
]);

/** Prefixes of request headers that are not passed on. Cloudflare names its headers about callers `cf-ip…`. */
const REMOVED_PREFIX_OF_REQUESTS = /^(?:sluice-|x-forwarded-|cf-connecting-|cf-ip)/;
/**
 * Prefixes of answer headers that are not passed on. The host's CORS headers concern pages that may call the host, not
 * the gateway.
 */
const REMOVED_PREFIX_OF_ANSWERS = /^(?:sluice-|x-forwarded-|access-control-)/;

/**
 * Returns the headers of a request for the host, with one value each. `countryHeader` is the header in which a proxy
 * tells the gateway the caller's country.
 */
export function headersToHost(
  headers: IncomingHttpHeaders,
  countryHeader: string | undefined,
): Record<string, string> {
  const isRemoved = (name: string): boolean =>
    REMOVED_FROM_REQUESTS.has(name) || name === countryHeader || REMOVED_PREFIX_OF_REQUESTS.test(name);
  return passOn(headers, isRemoved, (value) => (Array.isArray(value) ? value.join(', ') : value));
}

/** Matches Basic credentials (RFC 7617), whose token may be base64url too. */
const BASIC = /\bbasic +([\w+/-]+)/gi;

/**
 * Throws a 400 that names the header whose value contains the intern's own key, as it is or in a Basic credential.
 * Other encodings of the key are not found.
 */
export function refuseOwnKey(headers: Readonly<Record<string, string>>, received: IncomingHttpHeaders): void {
  const credential = received['sluice-authorization'];
  if (typeof credential !== 'string') return;
  const key = credential.slice(credential.lastIndexOf(' ') + 1);
  for (const [name, value] of Object.entries(headers)) {
    if (!value.includes(key) && !credentialsIn(value).some((text) => text.includes(key))) continue;
    throw invalidRequest({ path: `headers.${name}`, message: 'must not hold the key of the intern' });
  }
}

/** Returns the users and passwords of the Basic credentials in a header's value. */
function credentialsIn(value: string): string[] {
  // Most values have none, and this test costs less than the search.
  if (!/basic /i.test(value)) return [];
  return [...value.matchAll(BASIC)].map(([, token = '']) => Buffer.from(token, 'base64').toString('latin1'));
}

/**
 * Returns the headers of a host's answer for the intern, with masked values. A header whose name contains a secret is
 * left out, because a name with a placeholder in it is no name.
 */
export function headersFromHost(
  headers: IncomingHttpHeaders,
  mask: Pick<AnswerMask, 'replace' | 'isInName'>,
): Record<string, string | string[]> {
  const isRemoved = (name: string): boolean =>
    REMOVED_FROM_ANSWERS.has(name) || REMOVED_PREFIX_OF_ANSWERS.test(name) || mask.isInName(name);
  return passOn(headers, isRemoved, (value) =>
    Array.isArray(value) ? value.map((text) => mask.replace(text)) : mask.replace(value),
  );
}

/** Returns the headers to pass on. Headers that `Connection` names are left out too. */
function passOn<Value>(
  headers: IncomingHttpHeaders,
  isRemoved: (name: string) => boolean,
  toValue: (value: string | string[]) => Value,
): Record<string, Value> {
  const named = `${headers.connection ?? ''}`.toLowerCase().split(/[\s,]+/);
  const passed: Record<string, Value> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || named.includes(name) || isRemoved(name)) continue;
    passed[name] = toValue(value);
  }
  return passed;
}
