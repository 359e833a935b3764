/** Installs third-party SCIM programs, against which tests check directory sync. */
import type { CommandContext } from '../command.ts';
import { findPythonEnvironment } from '../python-environment.ts';

/**
 * Third-party SCIM programs: two that check a server, `scim2-tester` (Apache-2.0) and `scim-sanity` (MIT), and a
 * server, `scim2-server` (Apache-2.0). Their dependencies are pinned too, since they influence the results.
 */
const SCIM_TOOLS = {
  name: 'scim2-tester',
  requirement: 'scim2-tester[httpx2]',
  version: '0.5.2',
  pythonVersion: [3, 11],
  extraPackages: [
    'scim-sanity==0.7.4',
    'scim2-server==0.8.3',
    'scim2-client==0.13.2',
    'scim2-models==0.12.3',
  ],
  size: 'about 10 s, once',
  installHint: [
    'The tests against SCIM checkers and a SCIM server need them, and they cannot be installed here: python3 is missing, has no venv and pip, or is older than 3.11.',
    'Any one of these helps:',
    '  1. install Python 3.11 or later with venv; the programs (about 60 MB on the disk) are then installed once',
    '  2. name a Python environment that has scim2-tester[httpx2], scim-sanity and scim2-server: SCIM_TOOLS_VENV=/opt/venv',
  ].join('\n'),
} as const;

/**
 * Returns the folder of a Python environment with the programs: the one in SCIM_TOOLS_VENV, the installed one, or a new
 * one. Throws a StackError if Python is missing or too old.
 */
export async function findScimTools(
  context: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  return env['SCIM_TOOLS_VENV'] || (await findPythonEnvironment(SCIM_TOOLS, context, logsFolder, env));
}
