/** Checks the version of Postgres. */
import type pg from 'pg';
import { StartProblem } from '../../platform/start-problem.ts';

const OLDEST_MAJOR = 15;

/** Throws a StartProblem if the server is older than the oldest version that is tested. */
export async function requireSupportedPostgres(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ number: number; text: string }>(
    `select current_setting('server_version_num')::integer number, current_setting('server_version') text`,
  );
  const { number = 0, text = '' } = rows[0] ?? {};
  if (number >= OLDEST_MAJOR * 10_000) return;
  throw new StartProblem(`Sluice needs Postgres ${OLDEST_MAJOR} or later; this server is ${text}`);
}
