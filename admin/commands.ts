/** Lists the admin commands: how each is used, what it does, and the settings that it needs. */
import { createDatabase, type Handle } from '../db/postgres/connection.ts';
import { loadConfigParts } from '../platform/config-parts.ts';
import { createEncryption, type Encryption } from '../platform/encryption.ts';
import { ConfigError } from '../platform/config-variable.ts';
import { createLogger } from '../platform/logger.ts';
import {
  type ProviderConfig,
  providerVariableName,
  readProviderVariables,
} from '../platform/provider-variables.ts';
import { type Report, requireNone } from './arguments.ts';
import { CATALOG_USAGE, runCatalog } from './catalog.ts';
import { CONSOLE_LINK_USAGE, runConsoleLink } from './console-link.ts';
import { CREDITS_USAGE, runCredits } from './credits.ts';
import { DAEMON_KEYS_USAGE, runDaemonKeys } from './daemon-keys.ts';
import { ENTITLEMENTS_USAGE, runEntitlements } from './entitlements.ts';
import { JOBS_USAGE, runJobs } from './jobs.ts';
import { KEYS_USAGE, runKeys } from './keys.ts';
import { LEDGER_USAGE, runLedger } from './ledger.ts';
import { MEMBERS_USAGE, runMembers } from './members.ts';
import { ORGANIZATIONS_USAGE, runOrganizations } from './organizations.ts';
import { PROVIDERS_USAGE, runProviders } from './providers.ts';
import { RANKINGS_USAGE, runRankings } from './rankings.ts';
import { REJECTS_USAGE, runRejects } from './rejects.ts';
import { ROTATE_ENCRYPTION_USAGE, runRotateEncryption } from './rotate-encryption.ts';
import { BOOTSTRAP_USAGE, runBootstrap } from './bootstrap.ts';
import { runMigrate } from './run-migrate.ts';
import { runScimToken, SCIM_TOKEN_USAGE } from './scim-token.ts';
import { runSpool, SPOOL_USAGE } from './spool.ts';
import { runVerifyLedger, VERIFY_LEDGER_USAGE } from './verify-ledger.ts';
import { runWebhooks, WEBHOOKS_USAGE } from './webhooks.ts';

/** Gives a command its settings, and takes what it says before its end. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  /** Takes progress, warnings and logs while the command runs. */
  stderr: NodeJS.WritableStream;
  /** Asks a question, and returns whether the answer is yes. Absent: nobody can answer. */
  ask?: ((question: string) => Promise<boolean>) | undefined;
}

interface Command {
  usage: string;
  /** One line for the list of commands. */
  summary: string;
  run: (args: string[], terminal: Terminal) => Promise<Outcome>;
}

/** The text to print, or with an exit code other than 0. */
type Outcome = string | { text: string; exitCode: number };

/** The exit codes of verify-ledger. */
const EXIT_CODES = { agrees: 0, differs: 1, 'has rejects': 3 };

export const COMMANDS: Record<string, Command> = {
  bootstrap: {
    usage: BOOTSTRAP_USAGE,
    summary: 'creates the first organization and shows its keys once',
    run: (args, { env }) => runBootstrap(loadConfigParts(env, 'database', 'encryption'), args),
  },
  organizations: {
    usage: ORGANIZATIONS_USAGE,
    summary: 'creates further organizations, lists, disables and enables them',
    run: (args, { env }) =>
      withDatabase(env, (knex) => runOrganizations(knex, () => loadEncryption(env), args)),
  },
  keys: {
    usage: KEYS_USAGE,
    summary: 'lists, creates, limits, disables, enables and deletes keys',
    run: (args, { env }) => withDatabase(env, (knex) => runKeys(knex, args)),
  },
  'console-link': {
    usage: CONSOLE_LINK_USAGE,
    summary: 'makes a link that signs a browser in to the console once, with a key of this hash',
    run: (args, { env }) => {
      const { database, publicUrl } = loadConfigParts(env, 'database', 'publicUrl');
      return withDatabase(env, (knex) => runConsoleLink(knex, publicUrl, args), database.url);
    },
  },
  members: {
    usage: MEMBERS_USAGE,
    summary: 'lists, adds and removes members of an organization, and changes their roles',
    run: (args, { env }) => withDatabase(env, (knex) => runMembers(knex, args)),
  },
  'scim-token': {
    usage: SCIM_TOKEN_USAGE,
    summary: 'creates a token with which an identity provider syncs its directory',
    run: (args, { env }) => {
      const { database, publicUrl } = loadConfigParts(env, 'database', 'publicUrl');
      return withDatabase(env, (knex) => runScimToken(knex, publicUrl, args), database.url);
    },
  },
  entitlements: {
    usage: ENTITLEMENTS_USAGE,
    summary: 'lists and changes the features that an organization may use',
    run: (args, { env }) => withDatabase(env, (knex) => runEntitlements(knex, args)),
  },
  credits: {
    usage: CREDITS_USAGE,
    summary: 'adds credit to an organization, and lists what it bought',
    run: (args, { env }) => withDatabase(env, (knex) => runCredits(knex, args)),
  },
  catalog: {
    usage: CATALOG_USAGE,
    summary:
      'imports models, updates prices, explains bills, lists endpoints; exits 1 if vendors lack an endpoint',
    run: (args, { env, stderr, ask }) => {
      const allow = () => loadConfigParts(env, 'outbound').outbound.allow;
      const print = (text: string): void => void stderr.write(`${text}\n`);
      const tools = { allow, print, ask, credentials: loadCredentials(env) };
      return withDatabase(env, (knex) => runCatalog(knex, args, tools)).then(outcomeOf);
    },
  },
  providers: {
    usage: PROVIDERS_USAGE,
    summary:
      'lists the providers that the catalog knows, and calls those that are configured; exits 1 if one fails',
    run: (args, { env }) => {
      const tools = {
        allow: () => loadConfigParts(env, 'outbound').outbound.allow,
        credentials: loadCredentials(env),
      };
      return withDatabase(env, (knex) => runProviders(knex, args, tools)).then(outcomeOf);
    },
  },
  jobs: {
    usage: JOBS_USAGE,
    summary: 'lists jobs whose outcome at a provider is unknown, and takes them off the list',
    run: (args, { env }) => withDatabase(env, (knex) => runJobs(knex, args)),
  },
  webhooks: {
    usage: WEBHOOKS_USAGE,
    summary: 'shows the attempts of a webhook, and sends it again',
    run: (args, { env }) =>
      withDatabase(env, (knex) =>
        runWebhooks(knex, () => loadConfigParts(env, 'temporal', 'webhooks'), args),
      ),
  },
  'verify-ledger': {
    usage: VERIFY_LEDGER_USAGE,
    summary:
      'compares all counters with the generations; exits 1 if they differ, 3 if answers are not billed',
    run: verifyLedger,
  },
  ledger: {
    usage: LEDGER_USAGE,
    summary:
      "computes what past answers would cost by today's prices; exits 1 if a bill cannot be reproduced",
    run: ledger,
  },
  rankings: {
    usage: RANKINGS_USAGE,
    summary: 'adds up the rankings of days that were missed, or of given days again',
    run: async (args, { env, stderr }) => {
      const { listenUrl: url } = loadConfigParts(env, 'database').database;
      const logger = createLogger({ level: 'info', name: 'admin', destination: stderr });
      return runRankings({ url, logger }, args);
    },
  },
  rejects: {
    usage: REJECTS_USAGE,
    summary: 'lists answers that could not be billed, and bills them; exits 1 if Postgres still refuses one',
    run: (args, { env }) => withDatabase(env, (knex) => runRejects(knex, args)).then(outcomeOf),
  },
  spool: {
    usage: SPOOL_USAGE,
    summary: 'records the generations of spool files; exits 1 if files need attention',
    run: replaySpools,
  },
  'daemon-keys': {
    usage: DAEMON_KEYS_USAGE,
    summary: "lists and rotates the keys that sign for interns' daemons",
    run: (args, { env }) => {
      const { database, encryption } = loadConfigParts(env, 'database', 'encryption');
      const sealing = createEncryption(encryption);
      return withDatabase(env, (knex) => runDaemonKeys({ knex, encryption: sealing }, args), database.url);
    },
  },
  'rotate-encryption': {
    usage: ROTATE_ENCRYPTION_USAGE,
    summary: 're-wraps all secrets with the first of ENCRYPTION_KEYS; exits 1 if one could not be',
    run: async (args, { env, stderr }) => {
      const config = loadConfigParts(env, 'database', 'encryption', 'objectStore');
      const print = (line: string): void => void stderr.write(`${line}\n`);
      return outcomeOf(await runRotateEncryption(config, args, print));
    },
  },
  migrate: {
    usage: 'migrate',
    summary: 'brings the schema and the bundled catalog up to date',
    run: migrate,
  },
};

/** Returns a function that finds a provider's credentials by its slug. */
function loadCredentials(env: NodeJS.ProcessEnv): (slug: string) => ProviderConfig {
  const { providers, problems } = readProviderVariables(env);
  return (slug) => {
    if (problems.length > 0) throw new ConfigError(problems);
    return providers.get(providerVariableName(slug)) ?? {};
  };
}

function loadEncryption(env: NodeJS.ProcessEnv): Encryption {
  return createEncryption(loadConfigParts(env, 'encryption').encryption);
}

async function withDatabase<T>(
  env: NodeJS.ProcessEnv,
  work: (knex: Handle) => Promise<T>,
  url = loadConfigParts(env, 'database').database.url,
): Promise<T> {
  const database = createDatabase({ url, poolMax: 2, applicationName: 'sluice-admin' });
  return work(database.knex).finally(() => database.close());
}

function outcomeOf({ text, isDone }: Report): Outcome {
  return { text, exitCode: isDone ? 0 : 1 };
}

async function migrate(args: string[], { env, stderr }: Terminal): Promise<Outcome> {
  requireNone(args);
  const { text, warnings } = await runMigrate(loadConfigParts(env, 'database').database.url);
  for (const warning of warnings) stderr.write(`Warning: ${warning}\n`);
  return text;
}

/** Reads from the replica, if there is one, because the check reads everything. */
async function verifyLedger(args: string[], { env, stderr }: Terminal): Promise<Outcome> {
  requireNone(args);
  const { readUrl } = loadConfigParts(env, 'database').database;
  stderr.write('adding up the generations\n');
  const { text, verdict } = await withDatabase(env, runVerifyLedger, readUrl);
  return { text, exitCode: EXIT_CODES[verdict] };
}

/** Reads from the replica, if there is one, because a range may have millions of generations. */
async function ledger(args: string[], { env, stderr }: Terminal): Promise<Outcome> {
  const { readUrl } = loadConfigParts(env, 'database').database;
  const print = (line: string): void => void stderr.write(`${line}\n`);
  return outcomeOf(await withDatabase(env, (knex) => runLedger(knex, args, print), readUrl));
}

async function replaySpools(args: string[], { env, stderr }: Terminal): Promise<Outcome> {
  const { database, ledger, logLevel } = loadConfigParts(env, 'database', 'ledger', 'logLevel');
  const logger = createLogger({ level: logLevel, name: 'admin', destination: stderr });
  const options = { databaseUrl: database.listenUrl, directory: ledger.spool?.directory, logger };
  return outcomeOf(await runSpool(options, args));
}
