/** Makes links that sign a browser in to the console. */
import type { Handle } from '../db/postgres/connection.ts';
import { createApiKeyStore } from '../db/accounts/api-key-store.ts';
import { createSignInLink } from '../services/accounts/identity/sign-in.ts';
import { AdminUsageError, onlyPositional } from './arguments.ts';

export const CONSOLE_LINK_USAGE = 'console-link HASH';

/** Runs `admin console-link HASH`: returns a link that opens one session of the console with the key of this hash. */
export async function runConsoleLink(knex: Handle, publicUrl: string, args: string[]): Promise<string> {
  const hash = onlyPositional('console-link', 'HASH', args).toLowerCase();
  const key = await createApiKeyStore(knex).findByHash(hash);
  if (key === null || key.disabled || key.kind === 'intern') {
    throw new AdminUsageError(
      `${hash} is not the hash of an enabled regular or management key. See them with: npm run admin -- keys list`,
    );
  }
  const token = await createSignInLink(knex, hash);
  return `${publicUrl}/console/sign-in#link=${token}\n\nIt works once, within 15 minutes.`;
}
