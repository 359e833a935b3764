import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { ROOT } from '../settings.ts';
import { StackError } from '../stack-error.ts';

const FOLDER = path.join(ROOT, 'test', 'clients');
const LOCK = path.join(FOLDER, 'package-lock.json');
/** Holds the digest of the lock file that was installed. `npm ci` deletes the folder first, and a broken installation with it. */
const INSTALLED = path.join(FOLDER, 'node_modules', '.installed');

/** Installs the packages of `test/clients/package-lock.json`, unless they are there. Throws a StackError where npm fails. */
export async function installNpmClients(
  { progress, supervisor }: CommandContext,
  logsFolder: string,
): Promise<void> {
  const wanted = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === wanted) return;
  await progress.step(
    'Installing the clients from npm',
    'about a minute, only when they change',
    async () => {
      await supervisor
        .run({
          name: 'npm ci in test/clients',
          command: 'npm',
          args: ['ci', '--no-audit', '--no-fund'],
          cwd: FOLDER,
          logFile: path.join(logsFolder, 'npm-clients.log'),
        })
        .catch((error: Error) => {
          throw new StackError(
            `${error.message}\nCheck that the package registry can be reached.\nType:  npm run test:clients`,
            { cause: error },
          );
        });
      writeFileSync(INSTALLED, wanted);
    },
  );
}
