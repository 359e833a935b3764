import type { CommandContext } from '../command.ts';
import { findPythonEnvironment } from '../python-environment.ts';

/** The clients in Python that `test/clients/python` runs, all in one environment and all under permissive licences. */
const PYTHON_CLIENTS = {
  name: 'python-clients',
  requirement: 'openai',
  version: '3.54.0',
  pythonVersion: [3, 10],
  alongside: [],
  size: 'about a minute, once',
  whatItNeeds: [
    'The tests of clients in Python need them, and they cannot be installed here: python3 is missing, has no venv and pip, or is older than 3.10.',
    'Any one of these helps:',
    '  1. install Python 3.10 or later with venv; the clients are then installed once',
    '  2. name a Python environment that has them: CLIENTS_VENV=/opt/venv',
    '  3. run the other tests only: npm run test:clients -- test/clients/npm',
  ].join('\n'),
} as const;

/**
 * Returns the folder of a Python environment with the clients: the one that CLIENTS_VENV names, the one made earlier, or one
 * made now. Throws a StackError where Python is missing or too old.
 */
export async function findPythonClients(
  context: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  return env['CLIENTS_VENV'] || (await findPythonEnvironment(PYTHON_CLIENTS, context, logsFolder, env));
}
