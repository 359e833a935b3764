import { hash, randomBytes } from 'node:crypto';
import { BROUGHT_TOKEN_PATTERN } from '../../../domain/accounts/brought-token.ts';

export interface NewToken {
  /** Shown once, stored nowhere. */
  token: string;
  hash: string;
  label: string;
}

const TOKEN_PATTERN = /^sk-slc-[A-Za-z0-9_-]{43}$/;

/** `sk-slc-` and 256 random bits (design: §4). */
export function newToken(): NewToken {
  const token = `sk-slc-${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token), label: `${token.slice(0, 10)}...${token.slice(-4)}` };
}

/** For a token that a customer brings. The label shows less of it, for it may be short. */
export function broughtToken(token: string): NewToken {
  return { token, hash: hashToken(token), label: `...${token.slice(-4)}` };
}

/** Spares the database anything that cannot be a key. */
export function isTokenShaped(text: string): boolean {
  return TOKEN_PATTERN.test(text) || BROUGHT_TOKEN_PATTERN.test(text);
}

/** Lower-case hex SHA-256: the lookup key, and the `hash` of the wire. Of every request, so without a hash object. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
