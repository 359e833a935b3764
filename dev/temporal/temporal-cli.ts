/** Finds a Temporal CLI with a supported server, and installs one if necessary. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { userCacheFolder } from '../postgres/reachable-folder.ts';
import { StackError } from '../stack-error.ts';
import {
  type CliContext,
  downloadTemporalCli,
  installTemporalCliWithGo,
  PINNED_VERSION,
} from './temporal-cli-install.ts';

/**
 * The oldest supported server. It is the first with all features that Sluice uses; the next major version is not
 * supported.
 */
const OLDEST_SERVER = [1, 29] as const;

const HOW_TO_GET_IT = [
  'Any one of these gives Sluice a Temporal to run on:',
  '  1. install the CLI (https://docs.temporal.io/cli) so that `temporal` is on the PATH, or name it in TEMPORAL_CLI_PATH',
  `  2. with Go: go install github.com/temporalio/cli/cmd/temporal@${PINNED_VERSION}`,
  '  3. set TEMPORAL_ADDRESS to a Temporal server that runs already',
].join('\n');

/**
 * Returns the path of a Temporal CLI with a supported server. It tries TEMPORAL_CLI_PATH, the PATH and Go's folders,
 * the cache of an earlier download, a download, and a build with Go. Throws a StackError with the ways to get one.
 */
export async function findTemporalCli(context: CliContext, env = process.env): Promise<string> {
  const named = env['TEMPORAL_CLI_PATH'];
  if (named) return requireSupported(named);
  const cacheFolder = path.join(userCacheFolder(env), `temporal-cli-${PINNED_VERSION}`);
  const cached = path.join(cacheFolder, 'temporal');
  const rejected: string[] = [];
  for (const candidate of [...installedCandidates(env), cached]) {
    const problem = problemOf(candidate);
    if (problem === undefined) return candidate;
    if (isExecutable(candidate)) rejected.push(`${candidate} ${problem}`);
  }
  for (const get of [downloadTemporalCli, installTemporalCliWithGo]) {
    await get(cached, context, env);
    if (problemOf(cached) === undefined) return cached;
  }
  const reasons = rejected.map((line) => `  (${line})\n`).join('');
  throw new StackError(`No Temporal CLI was found, downloaded or built.\n${reasons}${HOW_TO_GET_IT}`);
}

function requireSupported(candidate: string): string {
  const problem = problemOf(candidate);
  if (problem === undefined) return candidate;
  throw new StackError(`TEMPORAL_CLI_PATH is ${candidate}, which ${problem}.\n${HOW_TO_GET_IT}`);
}

/** Returns all installed CLIs, those on the PATH first. */
function installedCandidates(env: NodeJS.ProcessEnv): string[] {
  const home = env['HOME'] || homedir();
  const folders = [
    ...(env['PATH'] ?? '').split(path.delimiter),
    ...goFolders(env, home),
    // The folder of Temporal's own installer.
    path.join(home, '.temporalio', 'bin'),
  ];
  const candidates = folders.filter(Boolean).map((folder) => path.join(folder, 'temporal'));
  return [...new Set(candidates)].filter(isExecutable);
}

/** Returns the folders of `go install`, as Go reports them; without Go, the usual ones. */
function goFolders(env: NodeJS.ProcessEnv, home: string): string[] {
  const goEnv = spawnSync('go', ['env', 'GOBIN', 'GOPATH'], { encoding: 'utf8', env });
  const [bin = '', paths = ''] =
    goEnv.status === 0 ? goEnv.stdout.split('\n') : [env['GOBIN'], env['GOPATH']];
  const workspaces = [...paths.split(path.delimiter), path.join(home, 'go')].filter(Boolean);
  return [bin, ...workspaces.map((folder) => path.join(folder, 'bin'))];
}

/** Returns the reason why the CLI cannot be used; undefined if it can. */
function problemOf(cli: string): string | undefined {
  if (!isExecutable(cli)) return 'is not there or not executable';
  const result = spawnSync(cli, ['--version'], { encoding: 'utf8' });
  const version = /\(Server (\d+)\.(\d+)\.\d+/.exec(result.stdout ?? '');
  if (version === null) return 'does not print its server version';
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1]) return undefined;
  return `has server ${major}.${minor}; required is ${OLDEST_SERVER.join('.')} or a later 1.x`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
