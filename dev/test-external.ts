/**
 * `npm run test:external`: the tests against servers that `npm test` does not bring up. Now that is a real
 * S3 server: the one that S3_TEST_ENDPOINT names, else a pinned versitygw, built with Go once.
 */
import path from 'node:path';
import { type CommandContext, runCommand } from './command.ts';
import { findVersitygw, startVersitygw } from './object-server/versitygw.ts';
import { makeTestFolder, runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const objectServer = await startObjectServer(context);
  const servers = await startTestServers(dataDir, context);
  const env = { ...servers, ...objectServer, SLUICE_TEST_EXTERNAL: 'yes' };
  const jestArguments = process.argv.length > 2 ? process.argv.slice(2) : ['test/external'];
  return (await runJest(jestArguments, env, dataDir, context)) ? 0 : 1;
});

async function startObjectServer(context: CommandContext): Promise<NodeJS.ProcessEnv> {
  if (process.env['S3_TEST_ENDPOINT']) return {};
  const program = await findVersitygw(context, path.join(dataDir, 'logs'));
  return startVersitygw(program, dataDir, context);
}
