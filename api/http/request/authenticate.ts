/** Verifies the API key or SCIM token of a request. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Access, OperationDefinition } from '../../../contract/operation.ts';
import type { DirectoryClient } from '../../../domain/directory/scim-token.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { KeyVerifier } from '../../../services/accounts/identity/key-verifier.ts';
import type { ScimTokenVerifier } from '../../../services/directory/tokens/token-verifier.ts';

/** Finds the principal of an API key. */
export type Keys = Pick<KeyVerifier, 'verify' | 'isKnown'>;

/**
 * Returns the caller. Throws a 401 without a valid key, and a 403 if the operation does not take this kind of key. An
 * unknown, a disabled and an expired key get the same 401; its reason differs from that of a request without a key. Of
 * two credentials, the first valid one counts: some clients also send the token of another service. `addressOf` returns
 * the address of the caller. Without a key, `bySession` finds the caller by its cookie; it returns undefined if there
 * is none.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  { access, credential }: Pick<OperationDefinition, 'access' | 'credential'>,
  keys: Keys,
  addressOf: () => string,
  bySession: () => Promise<Principal> | undefined = () => undefined,
): Promise<Principal | undefined> {
  if (access === 'public' || access === 'signed' || access === 'scim') return undefined;
  const tokens = credential === undefined ? tokensIn(headers) : tokensOf(bearerIn(headers[credential]));
  if (tokens.length === 0) {
    const pending = bySession();
    if (pending === undefined) throw new AppError('missing_credential');
    const principal = await pending;
    if (access === 'management') requireAccess(principal, access);
    return principal;
  }
  for (const token of knownFirst(tokens, keys)) {
    const principal = await keys.verify(token, addressOf);
    if (principal === null) continue;
    requireAccess(principal, access);
    return principal;
  }
  throw new AppError('invalid_credential');
}

/** Returns the identity provider that calls. An API key gets the same 401 as an unknown token. */
export async function authenticateDirectory(
  headers: IncomingHttpHeaders,
  tokens: Pick<ScimTokenVerifier, 'verify'>,
  addressOf: () => string,
): Promise<DirectoryClient> {
  const token = bearerIn(headers.authorization);
  if (token === undefined) throw new AppError('missing_credential');
  const client = await tokens.verify(token, addressOf);
  if (client === null) throw new AppError('invalid_credential');
  return client;
}

function bearerIn(header: string | string[] = ''): string | undefined {
  return typeof header === 'string' ? /^Bearer +(\S+)$/i.exec(header)?.[1] : undefined;
}

function tokensIn(headers: IncomingHttpHeaders): string[] {
  return tokensOf(bearerIn(headers.authorization), headers['x-api-key']);
}

function tokensOf(...values: (string | string[] | undefined)[]): string[] {
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

/** Puts known keys first, so that a token of another service does not count as a wrong key with each request. */
function knownFirst(tokens: string[], { isKnown }: Keys): string[] {
  return tokens.length === 1 ? tokens : tokens.toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a)));
}

function requireAccess(principal: Principal, access: Access): void {
  const isManagement = principal.kind === 'management';
  if (access === 'generation' && isManagement) throw new AppError('management_key_refused');
  if (access === 'management' && !isManagement) throw new AppError('management_key_required');
}
