import { createDatabase, type Handle } from '../db/connection.ts';
import { loadConfig, loadDatabaseConfig, loadSpoolConfig } from '../platform/config.ts';
import { ConfigError } from '../platform/config-variable.ts';
import { createLogger } from '../platform/logger.ts';
import { BOOTSTRAP_USAGE, runBootstrap } from './run-bootstrap.ts';
import { CREDITS_USAGE, runCredits } from './credits.ts';
import { JOBS_USAGE, runJobs } from './jobs.ts';
import { KEYS_USAGE, runKeys } from './keys.ts';
import { runMigrate } from './run-migrate.ts';
import { runSpool, SPOOL_USAGE } from './spool.ts';
import { AdminUsageError } from './usage-error.ts';
import { runVerifyLedger, VERIFY_LEDGER_USAGE } from './verify-ledger.ts';
import { runWebhooks, WEBHOOKS_USAGE } from './webhooks.ts';

const USAGE = `Usage: npm run admin -- COMMAND

${BOOTSTRAP_USAGE}
${KEYS_USAGE}
${CREDITS_USAGE}
${JOBS_USAGE}
${WEBHOOKS_USAGE}
${VERIFY_LEDGER_USAGE}
${SPOOL_USAGE}
migrate`;

const [command, ...args] = process.argv.slice(2);
try {
  process.stdout.write(`${await run(command, args)}\n`);
} catch (error) {
  if (!isTheirs(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function run(name: string | undefined, rest: string[]): Promise<string> {
  switch (name) {
    case 'migrate':
      return runMigrate(loadDatabaseConfig(process.env).database.url);
    case 'bootstrap':
      return runBootstrap(loadConfig(process.env), rest);
    case 'keys':
      return withDatabase((knex) => runKeys(knex, rest));
    case 'credits':
      return withDatabase((knex) => runCredits(knex, rest));
    case 'jobs':
      return withDatabase((knex) => runJobs(knex, rest));
    case 'webhooks':
      return runWebhooks(loadConfig(process.env), rest);
    case 'verify-ledger':
      return withDatabase(verifyLedger);
    case 'spool':
      return replaySpools(rest);
    default:
      throw new AdminUsageError(USAGE);
  }
}

async function withDatabase(work: (knex: Handle) => Promise<string>): Promise<string> {
  const { database: settings } = loadDatabaseConfig(process.env);
  const database = createDatabase({ url: settings.url, poolMax: 2, applicationName: 'sluice-admin' });
  return work(database.knex).finally(() => database.close());
}

/** Exits with 1 when something differs. */
async function verifyLedger(knex: Handle): Promise<string> {
  const { text, agrees } = await runVerifyLedger(knex, (step) => process.stderr.write(`${step}\n`));
  if (!agrees) process.exitCode = 1;
  return text;
}

function replaySpools(rest: string[]): Promise<string> {
  const { database, ledger, logLevel } = loadSpoolConfig(process.env);
  const logger = createLogger({ level: logLevel, name: 'admin', destination: process.stderr });
  return runSpool({ databaseUrl: database.listenUrl, directory: ledger.spool?.directory, logger }, rest);
}

/** Wrong words on the command line: `parseArgs` throws TypeErrors with such codes. */
function isTheirs(error: unknown): error is Error {
  if (error instanceof AdminUsageError || error instanceof ConfigError) return true;
  const code = error instanceof TypeError && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}
