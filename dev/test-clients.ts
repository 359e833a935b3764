/**
 * Runs `npm run test:clients`: tests the gateway with the clients that people use. `npm ci` does not install these
 * clients; this command does:
 *
 * - npm clients from `test/clients/package-lock.json`, when that file changes.
 * - The coding agents, which are large, from the lock file in `test/clients/agents`, when that file changes.
 * - Python clients with pip, once, unless CLIENTS_VENVS names a folder of environments that have them.
 *
 * With arguments, only the named tests run: `npm run test:clients -- test/clients/npm`.
 */
import path from 'node:path';
import { CHECK_TYPES_AND_LINT, runChecks } from './checks.ts';
import { installNpmClients } from './clients/npm-clients.ts';
import { findPythonClients } from './clients/python-clients.ts';
import { runCommand } from './command.ts';
import { includesFolder } from './testing/includes-folder.ts';
import { makeTestFolder } from './testing/test-folder.ts';
import { runJest, startTestServers } from './testing/test-run.ts';

const dataDir = makeTestFolder();
const logsFolder = path.join(dataDir, 'logs');
const FOLDER = 'test/clients';
const TYPES = { name: 'clients', command: [...CHECK_TYPES_AND_LINT, FOLDER] };

await runCommand({ dataDir, throwAway: true, stoppedCode: 130 }, async (context) => {
  const jestArguments = process.argv.slice(2);
  const env: NodeJS.ProcessEnv = { SLUICE_TEST_CLIENTS: 'yes' };
  await installNpmClients(FOLDER, context, logsFolder);
  if (includesFolder(FOLDER, 'agents', jestArguments))
    await installNpmClients(`${FOLDER}/agents`, context, logsFolder);
  if (includesFolder(FOLDER, 'python', jestArguments)) {
    env['CLIENTS_TEST_VENVS'] = JSON.stringify(await findPythonClients(context, logsFolder));
  }
  context.progress.say('Checking the code of the tests (about half a minute):');
  const failed = await runChecks([TYPES], dataDir, context);
  if (failed.length > 0) return 1;
  Object.assign(env, await startTestServers(dataDir, context));
  const tests = jestArguments.length > 0 ? jestArguments : [FOLDER];
  return (await runJest('npm run test:clients --', tests, env, dataDir, context)) ? 0 : 1;
});
