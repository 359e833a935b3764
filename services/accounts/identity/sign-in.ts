/** Opens sessions of the console with a key, or with a link that somebody who knows the key has made. */
import { hash, randomBytes } from 'node:crypto';
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { createConsoleSessionStore } from '../../../db/accounts/console-session-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createRateLimitStore, type RateQuery } from '../../../db/rate-limit-store.ts';
import {
  type ConsoleSession,
  SESSION_MS,
  SIGN_IN_LINK_MS,
} from '../../../domain/accounts/console-session.ts';
import { AppError } from '../../../domain/errors.ts';
import { newUuid } from '../../../domain/ids.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { KeyVerifier } from './key-verifier.ts';

/** A key, or the token of a link, with which a browser signs in. */
export type SignIn = { apiKey: string } | { link: string };

/** A session with the principal of its key. */
export interface VerifiedSession {
  session: ConsoleSession;
  principal: Principal;
  csrfToken: string;
}

export interface SignInDeps {
  knex: Handle;
  keys: Pick<KeyVerifier, 'verify' | 'verifyHash'>;
  now?: () => number;
}

/** The wrong keys and links in a minute after which an address must wait. All processes count them together. */
const WRONG_SIGN_INS = { max: 5, window: { kind: 'sliding', ms: 60_000 } } as const;

/** The shape of the tokens of sessions and links: 256 random bits. */
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns the function that opens a session. It returns the token, which only the browser keeps. It throws a 401 for a
 * wrong key or link, a 403 for the key of an intern, and a 429 for an address that sent too many wrong ones.
 */
export function createSignIn({ knex, keys, now = Date.now }: SignInDeps) {
  const attempts = createRateLimitStore(knex);

  /** Counts an attempt before its key is looked up, so that no number of simultaneous ones finds more answers. */
  const begin = async (attempt: RateQuery): Promise<void> => {
    const { granted, resetMs } = await attempts.take(attempt, 1);
    if (granted > 0) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1_000));
    throw new AppError('rate_limited', { reason: 'too_many_wrong_keys', retryAfterSeconds });
  };

  const principalOf = async (signIn: SignIn, address: string): Promise<Principal | null> => {
    if ('apiKey' in signIn) return keys.verify(signIn.apiKey, () => address);
    if (!isSessionToken(signIn.link)) return null;
    const keyHash = await createConsoleSessionStore(knex).takeLink(sessionHash(signIn.link));
    return keyHash === null ? null : keys.verifyHash(keyHash);
  };

  return async (
    signIn: SignIn,
    address: string,
    requestId: string,
  ): Promise<VerifiedSession & { token: string }> => {
    const attempt = { scope: `sign-in ${address}`, ...WRONG_SIGN_INS };
    await begin(attempt);
    const principal = await principalOf(signIn, address);
    if (principal === null) throw new AppError('invalid_credential');
    await attempts.giveBack(attempt.scope);
    if (principal.kind === 'intern') throw new AppError('intern_key_refused');
    const { organizationId, keyHash } = principal;
    const token = newSessionToken();
    const session = { id: newUuid(), keyHash, expiresAt: new Date(now() + SESSION_MS) };
    await knex.transaction(async (transaction) => {
      await createConsoleSessionStore(transaction).insert(sessionHash(token), session);
      const entry = { action: 'createConsoleSession', target: `console/sessions/${session.id}` };
      await createAuditStore(transaction).insert({ organizationId, keyHash, requestId }, entry);
    });
    return { token, session, principal, csrfToken: csrfTokenOf(token) };
  };
}

/** Makes the token of a link that opens one session with a key, within a quarter of an hour. */
export async function createSignInLink(knex: Handle, keyHash: string): Promise<string> {
  const token = newSessionToken();
  const expiresAt = new Date(Date.now() + SIGN_IN_LINK_MS);
  await createConsoleSessionStore(knex).insertLink(sessionHash(token), { keyHash, expiresAt });
  return token;
}

export function isSessionToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** Returns the lower-case hex SHA-256 under which a token is stored. */
export function sessionHash(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Returns the anti-forgery token of a session. It follows from the session's token, so nothing stores it. */
export function csrfTokenOf(token: string): string {
  return hash('sha256', `anti-forgery ${token}`, 'base64url');
}

function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}
