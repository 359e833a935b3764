/** Runs `npm run test:console`: builds the console, and tries its pages in Chromium on a gateway of the tests. */
import { buildConsole } from './console/build-console.ts';
import { runCommand } from './command.ts';
import { makeTestFolder } from './testing/test-folder.ts';
import { runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();
const FOLDER = 'test/console';

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  await buildConsole(dataDir, context);
  const env = { SLUICE_TEST_CONSOLE: 'yes', ...(await startTestServers(dataDir, context)) };
  const given = process.argv.slice(2);
  const tests = given.some((argument) => argument.startsWith(FOLDER)) ? given : [FOLDER, ...given];
  return (await runJest('npm run test:console --', tests, env, dataDir, context)) ? 0 : 1;
});
