import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '../../contract/operation.ts';
import { AppError } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Services } from '../services.ts';

/**
 * Who calls, once both the key and the kind of key are right for the operation. A missing, malformed,
 * unknown, disabled or expired key is one and the same 401.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  access: Access,
  keys: Services['keys'],
): Promise<Principal | undefined> {
  if (access === 'public' || access === 'signed') return undefined;
  const token = tokenOf(headers);
  const principal = token === undefined ? null : await keys.verify(token);
  if (principal === null) throw new AppError('missing_credential');
  requireAccess(principal, access);
  return principal;
}

function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const token = bearer ?? headers['x-api-key'];
  return typeof token === 'string' ? token : undefined;
}

function requireAccess(principal: Principal, access: Access): void {
  const isManagement = principal.kind === 'management';
  if (access === 'generation' && isManagement) throw new AppError('management_key_refused');
  if (access === 'management' && !isManagement) throw new AppError('management_key_required');
}
