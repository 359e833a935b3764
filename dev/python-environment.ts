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
  /** The name that pip takes, without the version. */
  requirement: string;
  version: string;
  /** The oldest Python that runs it; any that has venv when absent. */
  pythonVersion?: readonly [number, number];
  /** Further packages of the same environment, each as pip takes it, with its version. */
  alongside?: readonly string[];
  /** Tells the user how long the installation takes, or how large it is. */
  size: string;
  /** Tells the user what to do where Python is missing. */
  whatItNeeds: string;
}

/**
 * Returns the folder of a Python environment with the package: the one made earlier, or one made now. Throws a StackError
 * where Python is missing or too old.
 */
export async function findPythonEnvironment(
  wanted: PythonPackage,
  { progress, supervisor }: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  const { name, requirement, version, alongside = [] } = wanted;
  const folder = path.join(userCacheFolder(env), folderName(wanted));
  const installed = path.join(folder, 'installed');
  const venv = path.join(folder, 'venv');
  if (existsSync(installed)) return venv;
  const [major, minor] = wanted.pythonVersion ?? [3, 0];
  const check = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${major}, ${minor}))`;
  if (spawnSync('python3', ['-c', check], { env }).status !== 0) {
    throw new StackError(wanted.whatItNeeds);
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
      ...alongside,
    ]);
    // Last: an installation that breaks off is begun again.
    mkdirSync(`${installed}.new`);
    renameSync(`${installed}.new`, installed);
  });
  return venv;
}

/** Names all versions, so that an environment with others is not taken for this one. */
function folderName({ name, version, alongside = [] }: PythonPackage): string {
  if (alongside.length === 0) return `${name}-${version}`;
  const digest = createHash('sha256').update(alongside.join(' ')).digest('hex').slice(0, 8);
  return `${name}-${version}-${digest}`;
}
