import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { ROOT } from '../settings.ts';
import { StackError } from '../stack-error.ts';

/**
 * Installs the packages of a folder's `package-lock.json`, unless they are installed. Throws a StackError if npm fails.
 */
export async function installNpmClients(
  folder: string,
  { progress, supervisor }: CommandContext,
  logsFolder: string,
): Promise<void> {
  const cwd = path.join(ROOT, folder);
  const lock = readFileSync(path.join(cwd, 'package-lock.json'));
  // Holds the digest of the installed lock file. `npm ci` deletes it first, so a failed installation is repeated.
  const installed = path.join(cwd, 'node_modules', '.installed');
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return;
  await progress.step(
    `Installing the npm packages of ${folder}`,
    'about a minute, only when they change',
    async () => {
      await supervisor
        .run({
          name: `npm ci in ${folder}`,
          command: 'npm',
          args: ['ci', '--no-audit', '--no-fund'],
          cwd,
          logFile: path.join(logsFolder, `npm-${path.basename(folder)}.log`),
        })
        .catch((error: Error) => {
          throw new StackError(
            `${error.message}\nCheck that the package registry can be reached.\nType:  npm run test:clients`,
            { cause: error },
          );
        });
      writeFileSync(installed, wanted);
    },
  );
}
