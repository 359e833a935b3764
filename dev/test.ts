/**
 * Runs `npm test`: the checks and the tests, at the same time, on a Postgres and a Temporal that exist for this run
 * only.
 *
 * - `--all` (`npm run test:all`) adds the long suites: crashes at every step, outages, and workflows over hours.
 * - Other arguments go to Jest, and then only the named tests run, without the checks: `npm test -- test/api`.
 */
import { reportFailedChecks, runChecks, STATIC_CHECKS } from './checks.ts';
import { runCommand } from './command.ts';
import { makeTestFolder } from './testing/test-folder.ts';
import { runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();
const jestArguments = process.argv.slice(2).filter((argument) => argument !== '--all');
const isWholeRun = jestArguments.length === 0;
/** Otherwise Jest does not find the long suites. A named suite may be a long one. */
const runsLongSuites = process.argv.includes('--all') || !isWholeRun;

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const { say } = context.progress;
  const servers = await startTestServers(dataDir, context);
  const env = { ...servers, ...(runsLongSuites ? { SLUICE_TEST_LONG: 'yes' } : {}) };
  if (isWholeRun) say('Checking the code beside the tests:');
  const [failed, testsPassed] = await Promise.all([
    runChecks(isWholeRun ? STATIC_CHECKS : [], dataDir, context),
    runJest(jestArguments, env, dataDir, context),
  ]);
  reportFailedChecks(failed, context);
  if (!testsPassed) say('\nTests failed: Jest lists them above.');
  return testsPassed && failed.length === 0 ? 0 : 1;
});
