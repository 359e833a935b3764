import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '../../../domain/errors.ts';

/** Headers of one connection and not of the message (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Headers of requests that are not passed on. In answers by ranges, each part could contain a part of a value, which
 * masking would miss. The gateway sets the accepted encoding itself.
 */
const REMOVED_FROM_REQUESTS = new Set([
  ...HOP_BY_HOP,
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

const REMOVED_PREFIX_OF_REQUESTS = /^(?:sluice-|x-forwarded-)/;
/**
 * Prefixes of answer headers that are not passed on. The host's CORS headers concern pages that may call the host, not
 * the gateway.
 */
const REMOVED_PREFIX_OF_ANSWERS = /^(?:sluice-|x-forwarded-|access-control-)/;

/** Returns the headers of a request for the host, with one value each. */
export function headersToHost(headers: IncomingHttpHeaders): Record<string, string> {
  return passOn(headers, REMOVED_FROM_REQUESTS, REMOVED_PREFIX_OF_REQUESTS, (value) =>
    Array.isArray(value) ? value.join(', ') : value,
  );
}

/** Throws a 400 that names the header which contains the intern's own key. */
export function refuseOwnKey(headers: Readonly<Record<string, string>>, received: IncomingHttpHeaders): void {
  const credential = received['sluice-authorization'];
  if (typeof credential !== 'string') return;
  const key = credential.slice(credential.lastIndexOf(' ') + 1);
  for (const [name, value] of Object.entries(headers)) {
    if (!value.includes(key)) continue;
    throw invalidRequest({ path: `headers.${name}`, message: 'must not hold the key of the intern' });
  }
}

/** Returns the headers of a host's answer for the intern, with each value masked by `mask`. */
export function headersFromHost(
  headers: IncomingHttpHeaders,
  mask: (value: string) => string,
): Record<string, string | string[]> {
  return passOn(headers, REMOVED_FROM_ANSWERS, REMOVED_PREFIX_OF_ANSWERS, (value) =>
    Array.isArray(value) ? value.map(mask) : mask(value),
  );
}

/** Returns the headers to pass on. Headers that `Connection` names are left out too. */
function passOn<Value>(
  headers: IncomingHttpHeaders,
  removed: ReadonlySet<string>,
  removedPrefix: RegExp,
  toValue: (value: string | string[]) => Value,
): Record<string, Value> {
  const named = `${headers.connection ?? ''}`.toLowerCase().split(/[\s,]+/);
  const passed: Record<string, Value> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || removed.has(name) || named.includes(name) || removedPrefix.test(name))
      continue;
    passed[name] = toValue(value);
  }
  return passed;
}
