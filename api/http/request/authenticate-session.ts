/** Verifies a request that carries the cookie of a console session in place of a key. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { OperationDefinition } from '../../../contract/operation.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { ConsoleSessions } from '../../../services/accounts/identity/console-sessions.ts';

/** Finds the sessions of tokens, and the keys with which they act. */
export type Sessions = Pick<ConsoleSessions, 'verify' | 'actWith'>;

/**
 * Returns the key of the session; for a generation, the regular key with which it acts. Throws a 401 without a valid
 * session, and a 403 if a call that changes something lacks the anti-forgery token.
 */
export async function authenticateSession(
  token: string,
  headers: IncomingHttpHeaders,
  { access, method }: Pick<OperationDefinition, 'access' | 'method'>,
  sessions: Sessions,
  { addressOf, requestId }: { addressOf: () => string; requestId: string },
): Promise<Principal> {
  const found = await sessions.verify(token, addressOf);
  if (found === null) throw new AppError('invalid_credential');
  if (method !== 'get' && !areEqual(headers['sluice-csrf-token'], found.csrfToken)) {
    throw new AppError('csrf_token_required');
  }
  if (access !== 'generation') return found.principal;
  const acting = headers['sluice-acting-key'];
  return sessions.actWith(found, typeof acting === 'string' ? acting.toLowerCase() : undefined, requestId);
}

function areEqual(sent: string | string[] | undefined, expected: string): boolean {
  if (typeof sent !== 'string' || sent.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(sent, 'latin1'), Buffer.from(expected, 'latin1'));
}
