/** Stores sessions of the console and links that open them, by the hashes of their tokens. */
import type { ConsoleSession } from '../../domain/accounts/console-session.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, firstRow } from '../postgres/results.ts';
import { selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { run } from '../postgres/statement.ts';

const SESSION = { id: uuid, keyHash: text, expiresAt: timestamptz };

export function createConsoleSessionStore(handle: Handle) {
  return {
    /** Adds a session, and removes those that have expired. */
    async insert(tokenHash: string, { id, keyHash, expiresAt }: ConsoleSession): Promise<void> {
      await run(handle, 'delete from console_sessions where expires_at <= now()');
      await run(
        handle,
        `insert into console_sessions (token_hash, id, key_hash, expires_at)
         values (:tokenHash, :id, :keyHash, :expiresAt)`,
        { tokenHash, id, keyHash, expiresAt },
      );
    },

    /** Finds a session, expired ones included. */
    find(tokenHash: string): Promise<ConsoleSession | null> {
      const statement = `select ${selectList(SESSION)} from console_sessions where token_hash = :tokenHash`;
      return firstRow(handle, SESSION, statement, { tokenHash });
    },

    /** Ends a session. Returns whether there was one. */
    remove(tokenHash: string): Promise<boolean> {
      return anyRows(handle, 'delete from console_sessions where token_hash = :tokenHash', { tokenHash });
    },

    /** Adds a link, and removes those that have expired. */
    async insertLink(tokenHash: string, { keyHash, expiresAt }: Omit<ConsoleSession, 'id'>): Promise<void> {
      await run(handle, 'delete from console_links where expires_at <= now()');
      await run(
        handle,
        `insert into console_links (token_hash, key_hash, expires_at) values (:tokenHash, :keyHash, :expiresAt)`,
        { tokenHash, keyHash, expiresAt },
      );
    },

    /** Uses a link up. Returns the key that it stands for; null if there is no such link or it has expired. */
    async takeLink(tokenHash: string): Promise<string | null> {
      const row = await firstRow(
        handle,
        { keyHash: text },
        `delete from console_links where token_hash = :tokenHash and expires_at > now() returning key_hash "keyHash"`,
        { tokenHash },
      );
      return row?.keyHash ?? null;
    },
  };
}
