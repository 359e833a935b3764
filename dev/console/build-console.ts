/** Builds the console if its sources are newer than its last build. */
import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { toolEnvironment } from '../checks.ts';
import type { CommandContext } from '../command.ts';
import { ROOT } from '../settings.ts';

const FOLDER = path.join(ROOT, 'console');

/** The files that decide what a build has, the versions of packages among them. */
const SOURCES = ['src/**/*.{ts,tsx,css,svg}', 'build/*', '*.{html,json,ts}', '../package-lock.json'];

/** The last file of a build, which names all others. */
const BUILT = 'dist/index.html';

export async function buildConsole(dataDir: string, { progress, supervisor }: CommandContext): Promise<void> {
  if (!isOutdated(FOLDER)) return;
  await progress.step('Building the console', 'about 3 s', () =>
    supervisor.run({
      name: 'the build of the console',
      command: 'vite',
      args: ['build', '--logLevel', 'warn'],
      cwd: FOLDER,
      env: toolEnvironment(),
      logFile: path.join(dataDir, 'logs', 'console.log'),
    }),
  );
}

/** Returns whether a console has no build, or an older one than its newest source. */
export function isOutdated(folder: string): boolean {
  const builtAt = statSync(path.join(folder, BUILT), { throwIfNoEntry: false })?.mtimeMs;
  if (builtAt === undefined) return true;
  return globSync(SOURCES, { cwd: folder }).some(
    (file) => statSync(path.join(folder, file)).mtimeMs > builtAt,
  );
}
