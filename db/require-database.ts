/** Checks at the start of a process that Postgres can be reached, is recent enough, and is migrated. */
import { StartProblem } from '../platform/start-problem.ts';
import { missingMigrations } from './migrate.ts';
import { isRefusedLogin, isUnreachable } from './postgres/outage.ts';
import { requireSupportedPostgres } from './postgres/postgres-version.ts';
import { createSession } from './postgres/session.ts';

const CONNECT_MS = 5_000;

/** Throws a StartProblem that says what to do. */
export async function requireDatabase(url: string): Promise<void> {
  const session = createSession({ url, applicationName: 'sluice-start', connectMs: CONNECT_MS });
  try {
    await session.connect();
    await requireSupportedPostgres(session);
    const missing = await missingMigrations(session);
    if (missing.length > 0) {
      const what =
        missing.length === 1 ? 'a migration is missing' : `${missing.length} migrations are missing`;
      throw new StartProblem(`The database is not ready: ${what}. First: npm run migrate`);
    }
  } catch (error) {
    const { message } = error as Error;
    if (isRefusedLogin(error)) {
      throw new StartProblem(`Postgres refuses DATABASE_URL: ${message}`, { cause: error });
    }
    if (!isUnreachable(error)) throw error;
    throw new StartProblem(`Postgres cannot be reached: ${message}`, { cause: error });
  } finally {
    await session.end();
  }
}
