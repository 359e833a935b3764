/** Installs ClickHouse's engine for Python, against which tests check the ClickHouse destination. */
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { findPythonEnvironment } from '../python-environment.ts';

/** The package of ClickHouse's engine for Python; Apache-2.0. */
const CHDB = {
  name: 'chdb',
  requirement: 'chdb',
  version: '4.4.0',
  size: 'about 550 MB, once',
  installHint: [
    "The tests on ClickHouse's engine need one, and it cannot be installed here: python3 with venv and pip is missing.",
    'Any one of these helps:',
    '  1. install Python 3.9 or later with venv; chdb (about 900 MB on the disk) is then installed once',
    '  2. name a Python that has chdb: CHDB_PYTHON=/opt/venv/bin/python',
  ].join('\n'),
};

/**
 * Returns the path of a Python with chdb: the one in CHDB_PYTHON, the installed one, or a new one. Throws a StackError
 * without Python.
 */
export async function findChdb(
  context: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  if (env['CHDB_PYTHON']) return env['CHDB_PYTHON'];
  return path.join(await findPythonEnvironment(CHDB, context, logsFolder, env), 'bin', 'python');
}
