/** Verifies and ends sessions of the console. A session acts with the key that opened it. */
import { LRUCache } from 'lru-cache';
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { createConsoleSessionStore } from '../../../db/accounts/console-session-store.ts';
import type { ConsoleSession } from '../../../domain/accounts/console-session.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import {
  createSignIn,
  csrfTokenOf,
  isSessionToken,
  sessionHash,
  type SignInDeps,
  type VerifiedSession,
} from './sign-in.ts';
import type { UnknownKeys } from './unknown-keys.ts';

export interface ConsoleSessionDeps extends SignInDeps {
  unknownKeys: Pick<UnknownKeys, 'lookUp' | 'reads'>;
}

/** The most sessions, and pairs of a session and a key, that are remembered. */
const MAX_REMEMBERED = 10_000;

export function createConsoleSessions(deps: ConsoleSessionDeps) {
  const { knex, keys, now = Date.now } = deps;
  const store = createConsoleSessionStore(knex);
  const find = createSessionFinder(deps);
  return {
    open: createSignIn(deps),
    actWith: createActing(deps),

    /** Returns the session of a token; null if it does not exist, has expired, or its key is not valid any more. */
    async verify(token: string, addressOf: () => string): Promise<VerifiedSession | null> {
      if (!isSessionToken(token)) return null;
      const session = await find(sessionHash(token), addressOf);
      if (session === null || session.expiresAt.getTime() <= now()) return null;
      const principal = await keys.verifyHash(session.keyHash);
      return principal && { session, principal, csrfToken: csrfTokenOf(token) };
    },

    /** Ends the session of a token, in all processes at once. */
    async end(token: string): Promise<void> {
      await store.remove(sessionHash(token));
    },
  };
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;

/** Returns the function that reads a session. One that was never found counts as the look-up of an unknown key. */
function createSessionFinder({ knex, unknownKeys }: ConsoleSessionDeps) {
  const store = createConsoleSessionStore(knex);
  const unknownStore = createConsoleSessionStore(unknownKeys.reads);
  const known = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  return async (tokenHash: string, addressOf: () => string): Promise<ConsoleSession | null> => {
    if (known.has(tokenHash)) return store.find(tokenHash);
    const found = await unknownKeys.lookUp(addressOf(), () => unknownStore.find(tokenHash));
    if (found !== null) known.set(tokenHash, true);
    return found;
  };
}

/**
 * Returns the function that finds the regular key with which a session generates: its own, or the named one of its
 * organization. It writes an audit entry when a session uses another key for the first time, and throws a 403 for any
 * other key.
 */
function createActing({ knex, keys }: ConsoleSessionDeps) {
  const recorded = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  return async (
    { session, principal }: Pick<VerifiedSession, 'session' | 'principal'>,
    named: string | undefined,
    requestId: string,
  ): Promise<Principal> => {
    const { kind, keyHash, organizationId } = principal;
    if (kind === 'regular' && (named === undefined || named === keyHash)) return principal;
    const acting = kind === 'management' && named !== undefined ? await keys.verifyHash(named) : null;
    if (acting?.kind !== 'regular' || acting.organizationId !== organizationId) {
      throw new AppError('acting_key_required');
    }
    const target = `console/sessions/${session.id}/keys/${acting.keyHash}`;
    if (!recorded.has(target)) {
      const entry = { action: 'actWithKey', target };
      await createAuditStore(knex).insert({ organizationId, keyHash, requestId }, entry);
      recorded.set(target, true);
    }
    return acting;
  };
}
