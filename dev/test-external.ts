/**
 * Runs `npm run test:external`: the tests against programs that `npm test` does not start. Each folder of
 * `test/external` needs one of them. With arguments, the command prepares only the programs for the named folders:
 *
 * - `s3`: the S3 server that S3_TEST_ENDPOINT names, else a pinned versitygw, built with Go once.
 * - `collector`: the OpenTelemetry Collector that OTELCOL_PATH names, else a pinned one, built with Go once.
 * - `clickhouse`: ClickHouse's engine in the Python that CHDB_PYTHON names, else a pinned one, installed with pip once.
 * - `litellm`: the proxy of LiteLLM that LITELLM_PATH names, else a pinned one, installed with pip once.
 * - `directory`: the SCIM checkers and the SCIM server of the Python environment that SCIM_TOOLS_VENV names, else
 *   pinned ones, installed with pip once.
 * - `daemon`: the package cryptography in the Python environment that CRYPTOGRAPHY_VENV names, else a pinned one,
 *   installed with pip once.
 * - `restore`: Debian's Postgres 15, or that of the folder POSTGRES_15_BIN.
 */
import path from 'node:path';
import { findChdb } from './chdb/chdb.ts';
import { type CommandContext, runCommand } from './command.ts';
import { findCryptography } from './cryptography/cryptography.ts';
import { findLitellm, startLitellm } from './litellm/litellm.ts';
import { findDebianPostgres } from './postgres/debian-postgres.ts';
import { findScimTools } from './scim/scim-tools.ts';
import { findVersitygw, startVersitygw } from './object-server/versitygw.ts';
import { findCollector, startCollector } from './otel-collector/otel-collector.ts';
import { includesFolder } from './testing/includes-folder.ts';
import { makeTestFolder } from './testing/test-folder.ts';
import { runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();
const logsFolder = path.join(dataDir, 'logs');
const FOLDER = 'test/external';

const PROGRAMS: Record<string, (context: CommandContext) => Promise<NodeJS.ProcessEnv>> = {
  s3: async (context) => {
    if (process.env['S3_TEST_ENDPOINT']) return {};
    return startVersitygw(await findVersitygw(context, logsFolder), dataDir, context);
  },
  collector: async (context) => startCollector(await findCollector(context, logsFolder), dataDir, context),
  clickhouse: async (context) => ({ CHDB_TEST_PYTHON: await findChdb(context, logsFolder) }),
  directory: async (context) => ({ SCIM_TEST_VENV: await findScimTools(context, logsFolder) }),
  daemon: async (context) => ({ CRYPTOGRAPHY_TEST_VENV: await findCryptography(context, logsFolder) }),
  restore: async () => ({ POSTGRES_15_TEST_BIN: findDebianPostgres() }),
  litellm: async (context) => startLitellm(await findLitellm(context, logsFolder), dataDir, context),
};

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const jestArguments = process.argv.slice(2);
  const env: NodeJS.ProcessEnv = { SLUICE_TEST_EXTERNAL: 'yes' };
  for (const [folder, start] of Object.entries(PROGRAMS)) {
    if (includesFolder(FOLDER, folder, jestArguments)) Object.assign(env, await start(context));
  }
  Object.assign(env, await startTestServers(dataDir, context));
  const tests = jestArguments.length > 0 ? jestArguments : [FOLDER];
  return (await runJest('npm run test:external --', tests, env, dataDir, context)) ? 0 : 1;
});
