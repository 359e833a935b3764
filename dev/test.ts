/**
 * Runs `npm test`: every check and every test, at the same time, on a Postgres and a Temporal that exist for this run
 * only. With arguments, which go to Jest, only the named tests run, without the checks: `npm test -- test/api`.
 */
import { reportFailedChecks, runChecks, STATIC_CHECKS } from './checks.ts';
import { runCommand } from './command.ts';
import { makeTestFolder, runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();
const jestArguments = process.argv.slice(2);

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const { say } = context.progress;
  const servers = await startTestServers(dataDir, context);
  const checks = jestArguments.length === 0 ? STATIC_CHECKS : [];
  if (checks.length > 0) say('Checking the code beside the tests:');
  const [failed, testsPassed] = await Promise.all([
    runChecks(checks, dataDir, context),
    runJest(jestArguments, servers, dataDir, context),
  ]);
  reportFailedChecks(failed, context);
  if (!testsPassed) say('\nTests failed: Jest lists them above.');
  return testsPassed && failed.length === 0 ? 0 : 1;
});
