/** Makes the link with which `npm start` signs its user in to the console. */
import { runConsoleLink } from '../../admin/console-link.ts';
import { createDatabase } from '../../db/postgres/connection.ts';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import type { DevFile } from './dev-file.ts';

/** Returns the link. It opens one session with the management key of the laptop, within 15 minutes. */
export async function makeConsoleLink({ base_url, database_url, management_key }: DevFile): Promise<string> {
  const database = createDatabase({ url: database_url, poolMax: 1, applicationName: 'sluice-dev' });
  try {
    const origin = base_url.replace(/\/api\/v1$/, '');
    const printed = await runConsoleLink(database.knex, origin, [hashToken(management_key)]);
    return printed.split('\n')[0] ?? printed;
  } finally {
    await database.close();
  }
}
