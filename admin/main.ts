/** Runs the admin command line: calls the command, prints its text, and sets the exit code. */
import { inspect } from 'node:util';
import { createDatabase, type Handle } from '../db/connection.ts';
import { UnreleasedSchemaError } from '../db/migrate.ts';
import { createEncryption } from '../platform/encryption.ts';
import { redact } from '../platform/redact.ts';
import { loadConfig, loadDatabaseConfig, loadSpoolConfig } from '../platform/config.ts';
import { ConfigError } from '../platform/config-variable.ts';
import { createLogger } from '../platform/logger.ts';
import { CATALOG_USAGE, runCatalog } from './catalog.ts';
import { BOOTSTRAP_USAGE, runBootstrap } from './run-bootstrap.ts';
import { CREDITS_USAGE, runCredits } from './credits.ts';
import { DAEMON_KEYS_USAGE, runDaemonKeys } from './daemon-keys.ts';
import { ENTITLEMENTS_USAGE, runEntitlements } from './entitlements.ts';
import { JOBS_USAGE, runJobs } from './jobs.ts';
import { KEYS_USAGE, runKeys } from './keys.ts';
import { MEMBERS_USAGE, runMembers } from './members.ts';
import { runMigrate } from './run-migrate.ts';
import { RANKINGS_USAGE, runRankings } from './rankings.ts';
import { ROTATE_ENCRYPTION_USAGE, runRotateEncryption } from './rotate-encryption.ts';
import { runSpool, SPOOL_USAGE } from './spool.ts';
import { REJECTS_USAGE, runRejects } from './rejects.ts';
import { runScimToken, SCIM_TOKEN_USAGE } from './scim-token.ts';
import { AdminUsageError } from './usage-error.ts';
import { runVerifyLedger, VERIFY_LEDGER_USAGE } from './verify-ledger.ts';
import { runWebhooks, WEBHOOKS_USAGE } from './webhooks.ts';

const USAGE = `Usage: npm run admin -- COMMAND

${BOOTSTRAP_USAGE}
${KEYS_USAGE}
${MEMBERS_USAGE}
${SCIM_TOKEN_USAGE}
${ENTITLEMENTS_USAGE}
${CREDITS_USAGE}
${CATALOG_USAGE}
${JOBS_USAGE}
${WEBHOOKS_USAGE}
${VERIFY_LEDGER_USAGE}
${RANKINGS_USAGE}
${REJECTS_USAGE}
${SPOOL_USAGE}
${DAEMON_KEYS_USAGE}
${ROTATE_ENCRYPTION_USAGE}
migrate`;

/** The exit codes of verify-ledger. */
const EXIT_CODES = { agrees: 0, differs: 1, 'has rejects': 3 };

const [command, ...args] = process.argv.slice(2);
try {
  process.stdout.write(`${await run(command, args)}\n`);
} catch (error) {
  if (isCorrectable(error)) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } else {
    // Errors of Postgres contain values of rows, which must not be printed to a terminal or a log.
    process.stderr.write(`${inspect(redact(error), { depth: 6 })}\n`);
    process.exitCode = 1;
  }
}

async function run(name: string | undefined, rest: string[]): Promise<string> {
  switch (name) {
    case 'migrate':
      return migrate();
    case 'bootstrap':
      return runBootstrap(loadConfig(process.env), rest);
    case 'keys':
      return withDatabase((knex) => runKeys(knex, rest));
    case 'members':
      return withDatabase((knex) => runMembers(knex, rest));
    case 'scim-token':
      return scimToken(rest);
    case 'entitlements':
      return withDatabase((knex) => runEntitlements(knex, rest));
    case 'credits':
      return withDatabase((knex) => runCredits(knex, rest));
    case 'catalog':
      return withDatabase((knex) => runCatalog(knex, rest));
    case 'jobs':
      return withDatabase((knex) => runJobs(knex, rest));
    case 'webhooks':
      return runWebhooks(loadConfig(process.env), rest);
    case 'verify-ledger':
      return verifyLedger();
    case 'rankings':
      return rankings(rest);
    case 'rejects':
      return withDatabase((knex) => rejects(knex, rest));
    case 'spool':
      return replaySpools(rest);
    case 'daemon-keys':
      return daemonKeys(rest);
    case 'rotate-encryption':
      return rotateEncryption(rest);
    default:
      throw new AdminUsageError(USAGE);
  }
}

async function withDatabase<T>(
  work: (knex: Handle) => Promise<T>,
  url = loadDatabaseConfig(process.env).database.url,
): Promise<T> {
  const database = createDatabase({ url, poolMax: 2, applicationName: 'sluice-admin' });
  return work(database.knex).finally(() => database.close());
}

/** Loads the whole configuration, which has the URL that identity providers call. */
function scimToken(rest: string[]): Promise<string> {
  const { database, http } = loadConfig(process.env);
  return withDatabase((knex) => runScimToken(knex, http.publicUrl, rest), database.url);
}

/** Loads the whole configuration, which has the master key that seals a new key. */
function daemonKeys(rest: string[]): Promise<string> {
  const { database, encryption } = loadConfig(process.env);
  const sealing = createEncryption(encryption);
  return withDatabase((knex) => runDaemonKeys({ knex, encryption: sealing }, rest), database.url);
}

async function migrate(): Promise<string> {
  const { text, warnings } = await runMigrate(loadDatabaseConfig(process.env).database.url);
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  return text;
}

/** Reads from the replica, if there is one, because the check reads everything. */
async function verifyLedger(): Promise<string> {
  const { readUrl } = loadDatabaseConfig(process.env).database;
  process.stderr.write('adding up the generations\n');
  const { text, verdict } = await withDatabase(runVerifyLedger, readUrl);
  process.exitCode = EXIT_CODES[verdict];
  return text;
}

function rankings(rest: string[]): Promise<string> {
  const { listenUrl: url } = loadDatabaseConfig(process.env).database;
  const logger = createLogger({ level: 'info', name: 'admin', destination: process.stderr });
  return runRankings({ url, logger }, rest);
}

/** Exits with 1 if Postgres still refuses a reject. */
async function rejects(knex: Handle, rest: string[]): Promise<string> {
  const { text, isDone } = await runRejects(knex, rest);
  if (!isDone) process.exitCode = 1;
  return text;
}

/** Exits with 1 if files need an operator's attention. */
async function replaySpools(rest: string[]): Promise<string> {
  const { database, ledger, logLevel } = loadSpoolConfig(process.env);
  const logger = createLogger({ level: logLevel, name: 'admin', destination: process.stderr });
  const options = { databaseUrl: database.listenUrl, directory: ledger.spool?.directory, logger };
  const { text, isDone } = await runSpool(options, rest);
  if (!isDone) process.exitCode = 1;
  return text;
}

/** Exits with 1 if a value could not be re-wrapped. */
async function rotateEncryption(rest: string[]): Promise<string> {
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const { text, isDone } = await runRotateEncryption(loadConfig(process.env), rest, print);
  if (!isDone) process.exitCode = 1;
  return text;
}

/**
 * Returns whether the operator can correct the error: a wrong command line or configuration, or an unreleased schema.
 * `parseArgs` throws TypeErrors with these codes.
 */
function isCorrectable(error: unknown): error is Error {
  if (error instanceof AdminUsageError || error instanceof ConfigError) return true;
  if (error instanceof UnreleasedSchemaError) return true;
  const code = error instanceof TypeError && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}
