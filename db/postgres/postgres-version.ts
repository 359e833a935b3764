/** Checks the version of Postgres. */
import type pg from 'pg';
import { StartProblem } from '../../platform/start-problem.ts';
import { int4, text } from './shape.ts';
import { rowsOf } from './statement.ts';

const OLDEST_MAJOR = 15;

/** Throws a StartProblem if the server is older than the oldest version that is tested. */
export async function requireSupportedPostgres(session: pg.Client): Promise<void> {
  const [server] = await rowsOf(
    session,
    { number: int4, version: text },
    `select current_setting('server_version_num')::integer number, current_setting('server_version') version`,
  );
  if (server !== undefined && server.number >= OLDEST_MAJOR * 10_000) return;
  throw new StartProblem(`Sluice needs Postgres ${OLDEST_MAJOR} or later; this server is ${server?.version}`);
}
