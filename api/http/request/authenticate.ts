/** Verifies the API key or SCIM token of a request. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Access, OperationDefinition } from '../../../contract/operation.ts';
import type { DirectoryClient } from '../../../domain/directory/scim-token.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { Services } from '../../services.ts';

/**
 * Returns the caller. Throws a 401 without a valid key, and a 403 if the operation does not take this kind of key. An
 * unknown, a disabled and an expired key get the same 401; its reason differs from that of a request without a key.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  { access, credential }: Pick<OperationDefinition, 'access' | 'credential'>,
  keys: Services['keys'],
): Promise<Principal | undefined> {
  if (access === 'public' || access === 'signed' || access === 'scim') return undefined;
  const token = credential === undefined ? tokenOf(headers) : bearerIn(headers[credential]);
  if (token === undefined) throw new AppError('missing_credential');
  const principal = await keys.verify(token);
  if (principal === null) throw new AppError('invalid_credential');
  requireAccess(principal, access);
  return principal;
}

/** Returns the identity provider that calls. An API key gets the same 401 as an unknown token. */
export async function authenticateDirectory(
  headers: IncomingHttpHeaders,
  tokens: Services['scimTokens'],
): Promise<DirectoryClient> {
  const token = bearerIn(headers.authorization);
  if (token === undefined) throw new AppError('missing_credential');
  const client = await tokens.verify(token);
  if (client === null) throw new AppError('invalid_credential');
  return client;
}

function bearerIn(header: string | string[] = ''): string | undefined {
  return typeof header === 'string' ? /^Bearer +(\S+)$/i.exec(header)?.[1] : undefined;
}

function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const token = bearerIn(headers.authorization) ?? headers['x-api-key'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function requireAccess(principal: Principal, access: Access): void {
  const isManagement = principal.kind === 'management';
  if (access === 'generation' && isManagement) throw new AppError('management_key_refused');
  if (access === 'management' && !isManagement) throw new AppError('management_key_required');
}
