import type { IncomingHttpHeaders } from 'node:http';
import { headerText } from './header-text.ts';

const NAME = 'x-session-id';

/**
 * Returns the headers with the decoded text of `x-session-id`. Removes the header if it is empty, or if the body names
 * a session: the body takes precedence, so an unused header is not validated.
 */
export function readSessionHeader(headers: IncomingHttpHeaders, body: unknown): IncomingHttpHeaders {
  const { [NAME]: header, ...others } = headers;
  if (typeof header !== 'string') return headers;
  const isUsed = header !== '' && !namesSession(body);
  return isUsed ? { ...others, [NAME]: headerText(header) } : others;
}

function namesSession(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('session_id' in body)) return false;
  return typeof body.session_id === 'string' && body.session_id !== '';
}
