import { randomBytes } from 'node:crypto';
import { hashToken } from '../../accounts/identity/key-token.ts';

const TOKEN_PATTERN = /^scim-slc-[A-Za-z0-9_-]{43}$/;

/** Makes a token of 256 random bits. Only the hash is stored. */
export function newScimToken(): { token: string; hash: string } {
  const token = `scim-slc-${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

/** Returns whether the text may be a SCIM token. Other texts need no query of the database. */
export function isScimTokenShaped(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}
