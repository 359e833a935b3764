/**
 * `npm test`: every check and every test, on a Postgres and a Temporal that exist for this run only. With
 * arguments, which go to Jest, the tests that they name and no checks: `npm test -- test/api`.
 */
import { chmodSync, mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { runChecks, STATIC_CHECKS, toolEnvironment } from './checks.ts';
import { runCommand, type CommandContext } from './command.ts';
import { findFreePorts } from './ports.ts';
import { startPostgres } from './postgres/postgres.ts';
import { ROOT } from './settings.ts';
import { findTemporalCli } from './temporal/temporal-cli.ts';
import { startTemporal } from './temporal/temporal.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
// Postgres may run as another user, who must get through.
chmodSync(dataDir, 0o711);
const jestArguments = process.argv.slice(2);

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const { say } = context.progress;
  let failed: string[] = [];
  if (jestArguments.length === 0) {
    say('Checking the code (about a minute):');
    failed = await runChecks(STATIC_CHECKS, dataDir, context);
  }
  const servers = await startServers(context);
  const testsPassed = await runJest(context, servers);
  if (failed.length > 0) say(`\nFailed checks, see above: ${failed.join(', ')}.`);
  return testsPassed && failed.length === 0 ? 0 : 1;
});

/** What `test/support` finds the servers by. */
async function startServers({ progress, supervisor }: CommandContext): Promise<NodeJS.ProcessEnv> {
  const cli = await findTemporalCli({ progress, supervisor, logsFolder: path.join(dataDir, 'logs') });
  const [postgresPort = 0, temporalPort = 0] = await findFreePorts(2);
  return progress.step('Starting Postgres and Temporal for this run', 'about 3 s', async () => {
    const where = { supervisor, dataDir, durable: false };
    const [postgresUrl, temporalAddress] = await Promise.all([
      startPostgres({ ...where, port: postgresPort }),
      startTemporal({ ...where, cli, port: temporalPort }),
    ]);
    return { SLUICE_TEST_POSTGRES_URL: postgresUrl, SLUICE_TEST_TEMPORAL_ADDRESS: temporalAddress };
  });
}

async function runJest(
  { supervisor, progress }: CommandContext,
  servers: NodeJS.ProcessEnv,
): Promise<boolean> {
  progress.say('Running the tests:');
  try {
    await supervisor.run({
      name: 'Jest',
      command: 'jest',
      // Jest leaves one processor free; these tests mostly wait for the servers.
      args: [`--maxWorkers=${Math.max(2, availableParallelism() - 1)}`, ...jestArguments],
      cwd: ROOT,
      env: toolEnvironment(servers),
      toTerminal: true,
      logFile: path.join(dataDir, 'logs', 'jest.log'),
    });
    return true;
  } catch {
    // Jest has said why.
    return false;
  }
}
