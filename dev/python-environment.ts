/** Creates a Python environment with pinned packages, once for each set of them. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from './command.ts';
import { userCacheFolder } from './postgres/reachable-folder.ts';
import { StackError } from './stack-error.ts';

export interface PythonPackage {
  /** The folder's name, without the version. */
  name: string;
  /** The package's name for pip, without the version. */
  requirement: string;
  version: string;
  /** The oldest supported Python; absent: any with venv. */
  pythonVersion?: readonly [number, number];
  /** Further packages of the same environment, with versions, in pip's form. */
  extraPackages?: readonly string[];
  /** The duration or size of the installation, for users. */
  size: string;
  /** The instructions for users without Python. */
  installHint: string;
}

/**
 * Returns the folder of a Python environment with the package, which is created if necessary. Throws a StackError if
 * Python is missing or too old.
 */
export async function findPythonEnvironment(
  wanted: PythonPackage,
  { progress, supervisor }: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  const { name, requirement, version, extraPackages = [] } = wanted;
  const folder = path.join(userCacheFolder(env), folderName(wanted));
  const installed = path.join(folder, 'installed');
  const venv = path.join(folder, 'venv');
  if (existsSync(installed)) return venv;
  const [major, minor] = wanted.pythonVersion ?? [3, 0];
  const check = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${major}, ${minor}))`;
  if (spawnSync('python3', ['-c', check], { env }).status !== 0) {
    throw new StackError(wanted.installHint);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const logFile = path.join(logsFolder, `${name}.log`);
  const run = (what: string, command: string, args: string[]): Promise<void> =>
    supervisor.run({ name: what, command, args, env, cwd: folder, logFile });
  await progress.step(`Installing ${name} ${version}`, wanted.size, async () => {
    await run('python3 -m venv', 'python3', ['-m', 'venv', 'venv']);
    const python = path.join(venv, 'bin', 'python');
    await run(`pip install ${name}`, python, [
      '-m',
      'pip',
      'install',
      '--quiet',
      `${requirement}==${version}`,
      ...extraPackages,
    ]);
    // The mark comes last, so that a failed installation is repeated.
    mkdirSync(`${installed}.new`);
    renameSync(`${installed}.new`, installed);
  });
  return venv;
}

/** Returns a name that includes all versions, so that an environment with other versions is not reused. */
function folderName({ name, version, extraPackages = [] }: PythonPackage): string {
  if (extraPackages.length === 0) return `${name}-${version}`;
  const digest = createHash('sha256').update(extraPackages.join(' ')).digest('hex').slice(0, 8);
  return `${name}-${version}-${digest}`;
}
