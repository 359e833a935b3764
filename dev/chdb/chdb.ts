import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { userCacheFolder } from '../postgres/reachable-folder.ts';
import { StackError } from '../stack-error.ts';

/** ClickHouse's engine as a package for Python; Apache-2.0. */
const PINNED_VERSION = '4.4.0';

const WHAT_IT_NEEDS = [
  "The tests on ClickHouse's engine need one, and it cannot be installed here: python3 with venv and pip is missing.",
  'Any one of these helps:',
  '  1. install Python 3.9 or later with venv; chdb (about 900 MB on the disk) is then installed once',
  '  2. name a Python that has chdb: CHDB_PYTHON=/opt/venv/bin/python',
].join('\n');

/**
 * Returns the path of a Python with chdb: the one that CHDB_PYTHON names, the one installed earlier, or one installed now.
 * Throws a StackError where Python is missing.
 */
export async function findChdb(
  { progress, supervisor }: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  if (env['CHDB_PYTHON']) return env['CHDB_PYTHON'];
  const folder = path.join(userCacheFolder(env), `chdb-${PINNED_VERSION}`);
  const installed = path.join(folder, 'installed');
  const python = path.join(folder, 'venv', 'bin', 'python');
  if (existsSync(installed)) return python;
  if (spawnSync('python3', ['-c', 'import venv, ensurepip'], { env }).status !== 0) {
    throw new StackError(WHAT_IT_NEEDS);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (name: string, command: string, args: string[]): Promise<void> =>
    supervisor.run({ name, command, args, env, cwd: folder, logFile: path.join(logsFolder, 'chdb.log') });
  await progress.step(`Installing chdb ${PINNED_VERSION}`, 'about 550 MB, once', async () => {
    await run('python3 -m venv', 'python3', ['-m', 'venv', 'venv']);
    await run('pip install chdb', python, ['-m', 'pip', 'install', '--quiet', `chdb==${PINNED_VERSION}`]);
    // Last: an installation that breaks off is begun again.
    mkdirSync(`${installed}.new`);
    renameSync(`${installed}.new`, installed);
  });
  return python;
}
