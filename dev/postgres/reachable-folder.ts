import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { StackError } from '../stack-error.ts';

/**
 * Returns the folder for files that another user must reach, or that outlive the checkout. For root it is outside of
 * root's home, which other users cannot enter.
 */
export function reachableFolder(): string {
  if (process.getuid?.() !== 0) return userCacheFolder();
  const folder = '/var/lib/sluice-dev';
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { uid, mode } = statSync(folder);
  if (uid !== 0 || (mode & 0o022) !== 0) {
    throw new StackError(`${folder} must belong to root and be writable by root alone; remove or repair it.`);
  }
  return folder;
}

/** Returns the path of Sluice's folder in the user's cache, without creating it. */
export function userCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const home = env['HOME'] || homedir();
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Caches', 'sluice');
  return path.join(env['XDG_CACHE_HOME'] || path.join(home, '.cache'), 'sluice');
}
