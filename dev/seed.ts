/**
 * Runs `npm run seed -- --generations 1000000`: writes synthetic history into the laptop's database, or into that of
 * DATABASE_URL.
 */
import { isOutage, isUnmigrated } from '../db/postgres/outage.ts';
import { readSeedOptions } from './seed/options.ts';
import { seedHistory } from './seed/seed-history.ts';
import { settingsOrExit } from './settings.ts';
import { type DevFile, readDevFile } from './stack/dev-file.ts';
import { reportFailure, StackError } from './stack-error.ts';

const settings = settingsOrExit();
const stopping = new AbortController();
// The first signal stops after the current batch. A second one ends the process, and only the sums of rankings are
// lost.
process.once('SIGINT', () => stopping.abort());
process.once('SIGTERM', () => stopping.abort());

try {
  const options = readSeedOptions(process.argv.slice(2), Date.now());
  const laptop = readDevFile(settings.dataDir);
  const databaseUrl = settings.databaseUrl ?? laptop?.database_url;
  if (databaseUrl === undefined) {
    throw new StackError('There is no database. First: npm start; or set DATABASE_URL.');
  }
  await seedHistory(options, {
    databaseUrl,
    environment: process.env['SLUICE_ENV'],
    output: process.stdout,
    stopping: stopping.signal,
  });
  process.stdout.write(`\nNext:\n${nextSteps(settings.databaseUrl === undefined ? laptop : undefined)}\n`);
  if (stopping.signal.aborted) process.exitCode = 130;
} catch (error) {
  const problem = isOutage(error)
    ? 'Postgres does not answer. Is npm start running?'
    : isUnmigrated(error)
      ? 'The database is not migrated. First: npm run migrate'
      : undefined;
  reportFailure(problem === undefined ? error : new StackError(problem, { cause: error }));
  process.exitCode = 1;
}

/** Returns commands to try. `laptop` is absent when the history went into the database of DATABASE_URL. */
function nextSteps(laptop: DevFile | undefined): string {
  const ranked = '/datasets/rankings-daily';
  if (laptop === undefined) return `  npm run admin -- verify-ledger\n  GET ${ranked}`;
  return [
    '  npm run admin -- verify-ledger',
    `  curl -s ${laptop.base_url}${ranked} -H 'Authorization: Bearer ${laptop.api_key}'`,
  ].join('\n');
}
