/**
 * `npm run test:clients`: the clients that people use, against the gateway. `npm ci` does not install them. This command installs
 * those of npm from `test/clients/package-lock.json` when that file changes, the coding agents, which are large, from that of
 * `test/clients/agents`, and those of Python once, with pip, unless CLIENTS_VENVS names a folder of environments that have them. With
 * arguments, only the tests that they name: `npm run test:clients -- test/clients/npm`.
 */
import path from 'node:path';
import { runChecks } from './checks.ts';
import { installNpmClients } from './clients/npm-clients.ts';
import { findPythonClients } from './clients/python-clients.ts';
import { runCommand } from './command.ts';
import { isAsked } from './testing/asked-folders.ts';
import { makeTestFolder, runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();
const logsFolder = path.join(dataDir, 'logs');
const FOLDER = 'test/clients';
const TYPES = { name: 'types', command: ['tsc', '--project', FOLDER] };

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const asked = process.argv.slice(2);
  const env: NodeJS.ProcessEnv = { SLUICE_TEST_CLIENTS: 'yes' };
  await installNpmClients(FOLDER, context, logsFolder);
  if (isAsked(FOLDER, 'agents', asked)) await installNpmClients(`${FOLDER}/agents`, context, logsFolder);
  if (isAsked(FOLDER, 'python', asked)) {
    env['CLIENTS_TEST_VENVS'] = JSON.stringify(await findPythonClients(context, logsFolder));
  }
  context.progress.say('Checking the code of the tests (about half a minute):');
  const failed = await runChecks([TYPES], dataDir, context);
  if (failed.length > 0) return 1;
  Object.assign(env, await startTestServers(dataDir, context));
  const jestArguments = asked.length > 0 ? asked : [FOLDER];
  return (await runJest(jestArguments, env, dataDir, context)) ? 0 : 1;
});
