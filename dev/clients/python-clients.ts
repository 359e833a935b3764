/** Installs the Python clients whose compatibility with the API is tested. */
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { findPythonEnvironment } from '../python-environment.ts';

const shared = {
  pythonVersion: [3, 10],
  size: 'about a minute, once',
  installHint: [
    'The tests of clients in Python need them, and they cannot be installed here: python3 is missing, has no venv and pip, or is older than 3.10.',
    'Any one of these helps:',
    '  1. install Python 3.10 or later with venv; the clients are then installed once',
    '  2. name a folder of Python environments that have them, as dev/clients/python-clients.ts lists them: CLIENTS_VENVS=/opt/clients',
    '  3. run the other tests only: npm run test:clients -- test/clients/npm',
  ].join('\n'),
} as const;

/**
 * The Python clients that `test/clients/python` runs, all under permissive licences. Clients with conflicting
 * dependencies have separate environments: `langchain-openrouter` needs an old `openrouter`, `instructor` and `litellm`
 * an old `openai`.
 */
export const PYTHON_CLIENTS = {
  newest: {
    ...shared,
    name: 'python-clients',
    requirement: 'openrouter',
    version: '1.3.84',
    extraPackages: ['openai==3.54.0', 'anthropic==2.12.0', 'cohere==7.3.1', 'langchain-openai==1.7.3'],
  },
  older: {
    ...shared,
    name: 'python-clients-of-older-clients',
    requirement: 'langchain-openrouter',
    version: '0.2.9',
    extraPackages: ['instructor==1.17.0'],
  },
  litellm: {
    ...shared,
    name: 'python-clients-litellm',
    requirement: 'litellm',
    version: '1.106.2',
    // Without this package, calls with tools and the Responses API fail.
    extraPackages: ['mcp==2.3.0'],
  },
} as const;

/**
 * Returns the folders of the Python environments with the clients: those in CLIENTS_VENVS, the installed ones, or new
 * ones. Throws a StackError if Python is missing or too old.
 */
export async function findPythonClients(
  context: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<Record<string, string>> {
  const folders: Record<string, string> = {};
  for (const [name, wanted] of Object.entries(PYTHON_CLIENTS)) {
    const given = env['CLIENTS_VENVS'];
    folders[name] = given
      ? path.join(given, name)
      : await findPythonEnvironment(wanted, context, logsFolder, env);
  }
  return folders;
}
