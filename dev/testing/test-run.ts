/** Starts the servers of a test run, and runs Jest against them. */
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';
import { toolEnvironment } from '../checks.ts';
import type { CommandContext } from '../command.ts';
import { findFreePorts } from '../ports.ts';
import { CACHE_FOLDER } from '../passed-checks.ts';
import { startPostgres } from '../postgres/postgres.ts';
import { ROOT } from '../settings.ts';
import { findTemporalCli } from '../temporal/temporal-cli.ts';
import { startTemporal } from '../temporal/temporal.ts';
import { bundleWorkflows } from '../bundle-workflows.ts';

/**
 * Starts a Postgres and a Temporal for this run only, and bundles the workflows for all its workers. Resolves with the
 * variables by which `test/support` finds them.
 */
export async function startTestServers(
  dataDir: string,
  { progress, supervisor }: CommandContext,
): Promise<NodeJS.ProcessEnv> {
  const cli = await findTemporalCli({ progress, supervisor, logsFolder: path.join(dataDir, 'logs') });
  const [postgresPort = 0, temporalPort = 0] = await findFreePorts(2);
  return progress.step('Starting Postgres and Temporal for this run', 'about 5 s', async () => {
    const where = { supervisor, dataDir, durable: false };
    const [postgresUrl, temporalAddress, workflowBundle] = await Promise.all([
      startPostgres({ ...where, port: postgresPort }),
      startTemporal({ ...where, cli, port: temporalPort }),
      bundleWorkflows(dataDir, supervisor),
    ]);
    return {
      SLUICE_TEST_POSTGRES_URL: postgresUrl,
      SLUICE_TEST_TEMPORAL_ADDRESS: temporalAddress,
      SLUICE_TEST_WORKFLOW_BUNDLE: workflowBundle,
    };
  });
}

const MIN_WORKERS = 5;
/** The memory of a Jest process and the processes that its suite starts. */
const BYTES_PER_WORKER = 1_500_000_000;

/**
 * Returns how many suites run at once. Two processors carry five suites, because most suites wait for workflows, for
 * the death of a process or for an outage. A machine with little memory runs fewer.
 */
export function jestWorkers(processors: number, memoryBytes: number): number {
  const wanted = Math.max(MIN_WORKERS, processors + 1);
  return Math.max(2, Math.min(wanted, Math.floor(memoryBytes / BYTES_PER_WORKER)));
}

/** Jest refuses a number of suites at once that is given twice. */
function workersArgument(jestArguments: string[]): string[] {
  const isGiven = jestArguments.some((argument) => /^(-i|--runInBand|-w|--maxWorkers)/u.test(argument));
  return isGiven ? [] : [`--maxWorkers=${jestWorkers(availableParallelism(), totalmem())}`];
}

/**
 * Returns whether all tests passed. Jest itself prints the failures. `testCommand` runs one of the suites, when it is
 * named after it.
 */
export async function runJest(
  testCommand: string,
  jestArguments: string[],
  env: NodeJS.ProcessEnv,
  dataDir: string,
  { progress, supervisor }: CommandContext,
): Promise<boolean> {
  progress.say('Running the tests:');
  try {
    await supervisor.run({
      name: 'Jest',
      command: 'jest',
      args: [...workersArgument(jestArguments), ...jestArguments],
      cwd: ROOT,
      // Every process of the tests that loads the product would compile it again: half of what loading costs.
      env: toolEnvironment({
        ...env,
        SLUICE_TEST_COMMAND: testCommand,
        NODE_COMPILE_CACHE: path.join(ROOT, CACHE_FOLDER, 'compiled'),
      }),
      toTerminal: true,
      logFile: path.join(dataDir, 'logs', 'jest.log'),
    });
    return true;
  } catch {
    return false;
  }
}
