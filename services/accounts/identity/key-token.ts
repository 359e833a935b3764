/** Makes the tokens of API keys, recognizes their shape, and hashes them for storage and lookup. */
import { hash, randomBytes } from 'node:crypto';
import { CUSTOMER_TOKEN_PATTERN } from '../../../domain/accounts/customer-token.ts';

export interface NewToken {
  /** The token itself, which is shown once and not stored. */
  token: string;
  hash: string;
  label: string;
}

const TOKEN_PATTERN = /^sk-slc-[A-Za-z0-9_-]{43}$/;

/** Makes a token: `sk-slc-` and 256 random bits. */
export function newToken(): NewToken {
  const token = `sk-slc-${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token), label: `${token.slice(0, 10)}...${token.slice(-4)}` };
}

/** Accepts a token that a customer brings. The label shows less of it, because it may be short. */
export function customerToken(token: string): NewToken {
  return { token, hash: hashToken(token), label: `...${token.slice(-4)}` };
}

/** Returns whether a text can be a key. Other texts need no query of the database. */
export function isTokenShaped(text: string): boolean {
  return TOKEN_PATTERN.test(text) || CUSTOMER_TOKEN_PATTERN.test(text);
}

/**
 * Returns the lower-case hex SHA-256, which is the lookup key and the `hash` of the API. It runs for every request,
 * so it creates no hash object.
 */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
