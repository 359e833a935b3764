/** Installs Python's cryptography package, with which tests verify signatures. */
import type { CommandContext } from '../command.ts';
import { findPythonEnvironment } from '../python-environment.ts';

/** Python's usual library for signatures (Apache-2.0 or BSD), which operators' sidecars are likely to use. */
const CRYPTOGRAPHY = {
  name: 'cryptography',
  requirement: 'cryptography',
  version: '50.0.2',
  pythonVersion: [3, 9],
  size: 'about 5 s, once',
  installHint: [
    'The tests of daemon signing against Python need the package cryptography, and it cannot be installed here: python3 is missing, has no venv and pip, or is older than 3.9.',
    'Any one of these helps:',
    '  1. install Python 3.9 or later with venv; the package (about 20 MB on the disk) is then installed once',
    '  2. name a Python environment that has it: CRYPTOGRAPHY_VENV=/opt/venv',
  ].join('\n'),
} as const;

/**
 * Returns the folder of a Python environment with the package: the one in CRYPTOGRAPHY_VENV, the installed one, or a
 * new one. Throws a StackError if Python is missing or too old.
 */
export async function findCryptography(
  context: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  return env['CRYPTOGRAPHY_VENV'] || (await findPythonEnvironment(CRYPTOGRAPHY, context, logsFolder, env));
}
