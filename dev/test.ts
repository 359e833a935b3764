/**
 * `npm test`: every check and every test, on a Postgres and a Temporal that exist for this run only. With
 * arguments, which go to Jest, the tests that they name and no checks: `npm test -- test/api`.
 */
import { runChecks, STATIC_CHECKS } from './checks.ts';
import { runCommand } from './command.ts';
import { makeTestFolder, runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();
const jestArguments = process.argv.slice(2);

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const { say } = context.progress;
  let failed: string[] = [];
  if (jestArguments.length === 0) {
    say('Checking the code (about a minute):');
    failed = await runChecks(STATIC_CHECKS, dataDir, context);
  }
  const servers = await startTestServers(dataDir, context);
  const testsPassed = await runJest(jestArguments, servers, dataDir, context);
  if (failed.length > 0) say(`\nFailed checks, see above: ${failed.join(', ')}.`);
  return testsPassed && failed.length === 0 ? 0 : 1;
});
