/** Finds the server and the tools of Postgres 15 as Debian installs them, for the drill of a restore. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { StackError } from '../stack-error.ts';

const FOLDER = '/usr/lib/postgresql/15/bin';

const WHAT_IT_NEEDS = [
  'The drill of a restore needs the server and the tools of Postgres 15. Either of these helps:',
  '  1. apt-get install postgresql-15',
  '  2. name the folder of initdb, postgres, pg_dump and pg_restore: POSTGRES_15_BIN',
].join('\n');

/** Returns the folder of the programs. Throws a StackError if one is missing. */
export function findDebianPostgres(env = process.env): string {
  const folder = env['POSTGRES_15_BIN'] || FOLDER;
  const programs = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'createdb', 'psql'];
  if (programs.every((name) => existsSync(path.join(folder, name)))) return folder;
  throw new StackError(WHAT_IT_NEEDS);
}
