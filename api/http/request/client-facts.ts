/** Reads what the headers of a request say about the client and its session. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { clip } from '../../../domain/clip.ts';
import { parseCountry } from '../../../domain/country.ts';
import type { ClientFacts } from '../../../domain/principal.ts';

const SESSION_HEADER = 'x-session-id';
const MAX_FACT_LENGTH = 512;

/**
 * Returns what the request's headers say about the client. These facts are recorded and shown, but never trusted.
 * `hops` is the value for the requests that follow from this one.
 */
export function clientFactsOf(
  requestId: string,
  headers: IncomingHttpHeaders,
  countryHeader?: string,
  hops?: string,
): ClientFacts {
  const country = countryHeader === undefined ? undefined : factOf(headers[countryHeader]);
  return {
    requestId,
    referer: factOf(headers['http-referer']),
    title: factOf(headers['x-openrouter-title']),
    categories: factOf(headers['x-openrouter-categories']),
    userAgent: factOf(headers['user-agent']),
    country: country === undefined ? undefined : parseCountry(country),
    hops,
  };
}

function factOf(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text === undefined || text === '' ? undefined : clip(headerText(text), MAX_FACT_LENGTH);
}

/**
 * Returns the headers with the decoded text of `x-session-id`. Removes the header if it is empty, or if the body names
 * a session: the body takes precedence, so an unused header is not validated.
 */
export function readSessionHeader(headers: IncomingHttpHeaders, body: unknown): IncomingHttpHeaders {
  const { [SESSION_HEADER]: header, ...others } = headers;
  if (typeof header !== 'string') return headers;
  const isUsed = header !== '' && !namesSession(body);
  return isUsed ? { ...others, [SESSION_HEADER]: headerText(header) } : others;
}

function namesSession(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('session_id' in body)) return false;
  return typeof body.session_id === 'string' && body.session_id !== '';
}

/**
 * Returns the text of a header. Node decodes its bytes as Latin-1; this function decodes them as UTF-8 if they are
 * valid.
 */
function headerText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
