/**
 * Runs `npm test`: the checks and the tests, at the same time, on a Postgres and a Temporal that exist for this run
 * only.
 *
 * - `--all` (`npm run test:all`) adds the long suites: crashes at every step, outages, and faults in workflows.
 * - `--check-costs` fails when suites of a folder take over a fifth more processor time than test/costs.json allows.
 * - Other arguments go to Jest: `npm test -- --bail`. If they name tests, only these run, without the checks, also long
 *   ones: `npm test -- test/api`.
 */
import path from 'node:path';
import { reportFailedChecks, runChecks, STATIC_CHECKS } from './checks.ts';
import { runCommand } from './command.ts';
import { startFixedLoad } from './testing/fixed-load.ts';
import { namesTests } from './testing/names-tests.ts';
import { reportCosts } from './testing/suite-costs.ts';
import { makeTestFolder } from './testing/test-folder.ts';
import { runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();
const OPTIONS = ['--all', '--check-costs'];
const jestArguments = process.argv.slice(2).filter((argument) => !OPTIONS.includes(argument));
const isWholeRun = !namesTests(jestArguments);
/** Otherwise Jest does not find the long suites. A named suite may be a long one. */
const runsLongSuites = process.argv.includes('--all') || !isWholeRun;
const costsFile = process.argv.includes('--check-costs') ? path.join(dataDir, 'costs.jsonl') : undefined;

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const { say } = context.progress;
  const env = {
    ...(await startTestServers(dataDir, context)),
    ...(runsLongSuites ? { SLUICE_TEST_LONG: 'yes' } : {}),
    ...(costsFile === undefined ? {} : { SLUICE_TEST_COSTS: costsFile }),
  };
  const load = costsFile === undefined ? undefined : startFixedLoad();
  if (isWholeRun) say('Checking the code beside the tests:');
  const [failed, testsPassed] = await Promise.all([
    runChecks(isWholeRun ? STATIC_CHECKS : [], dataDir, context),
    runJest('npm test --', jestArguments, env, dataDir, context),
  ]);
  const isCheap =
    costsFile === undefined ||
    !load ||
    reportCosts(costsFile, load.stop(), runsLongSuites && isWholeRun, say);
  reportFailedChecks(failed, context);
  if (!testsPassed) say('\nTests failed: Jest lists them above.');
  return testsPassed && isCheap && failed.length === 0 ? 0 : 1;
});
