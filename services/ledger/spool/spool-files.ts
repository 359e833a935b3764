/** Names, finds, takes over and sets aside the files of the spool. */
import { randomBytes } from 'node:crypto';
import { readdir, rename, stat, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Returns `<host>~<process id>~<random>` for the process that holds a spool; it is part of its file's name. */
export function newHolder(): string {
  return `${os.hostname()}~${process.pid}~${randomBytes(6).toString('hex')}`;
}

const EXTENSION = '.spool';

export function spoolName(holder: string, sequence: number): string {
  return `${holder}~${sequence}${EXTENSION}`;
}

interface Name {
  holder: string;
  host: string;
  processId: number;
}

function parseName(file: string): Name | undefined {
  const [, holder, host, processId] = /^((.+)~(\d+)~[0-9a-f]{12})~\d+\.spool$/.exec(file) ?? [];
  if (holder === undefined || host === undefined) return undefined;
  return { holder, host, processId: Number(processId) };
}

/** The time after which an untouched spool may be taken over, even if its holder is alive. */
const QUIET_MS = 60_000;

/**
 * Returns the abandoned spools: their holder was a process of this machine that has ended, or has not touched them
 * for a minute. Taking over a spool whose holder is alive does no harm: see `spool.ts`.
 */
export async function listAbandoned(directory: string, ownHolder: string): Promise<string[]> {
  const files = await listSpools(directory);
  const abandoned: string[] = [];
  for (const file of files) {
    const name = parseName(path.basename(file));
    if (name === undefined || name.holder === ownHolder) continue;
    if (isGone(name) || (await ageMs(file)) > QUIET_MS) abandoned.push(file);
  }
  return abandoned;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

/** Returns the spools of the directory, in the order of their names. Returns an empty list without the directory. */
export async function listSpools(directory: string): Promise<string[]> {
  const names = await namesIn(directory);
  return names
    .filter((name) => parseName(name) !== undefined)
    .toSorted()
    .map((name) => path.join(directory, name));
}

/** Means that a file or the directory is faulty, and Postgres is not the cause. `cause` has the details. */
export class SpoolFileError extends Error {}

/**
 * Renames the spool to `ownPath` in one step, so that only one of several processes gets it. Returns false when another
 * was faster.
 */
export async function claimSpool(file: string, ownPath: string): Promise<boolean> {
  try {
    await rename(file, ownPath);
  } catch (error) {
    if (isMissing(error)) return false;
    throw new SpoolFileError('a spool cannot be taken over', { cause: error });
  }
  // This process holds the file even if only its former owner may change the times.
  await touchSpool(ownPath).catch(() => {});
  return true;
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** The endings of set-aside spools: `damaged` when some records cannot be read, `unreadable` when the file cannot. */
const ASIDE = { damaged: '.damaged', unreadable: '.unreadable' };

/** Sets a spool aside for operators to inspect and returns its new path. Replays ignore it from then on. */
export async function setSpoolAside(file: string, why: keyof typeof ASIDE): Promise<string> {
  const aside = `${file}${ASIDE[why]}`;
  await rename(file, aside).catch((error: unknown) => {
    throw new SpoolFileError('a spool cannot be set aside', { cause: error });
  });
  return aside;
}

/** Returns the set-aside spools of the directory. */
export async function listAside(directory: string): Promise<string[]> {
  const names = await namesIn(directory);
  return names
    .filter((name) => Object.values(ASIDE).some((ending) => name.endsWith(`${EXTENSION}${ending}`)))
    .toSorted()
    .map((name) => path.join(directory, name));
}

/** Sets the file's times to now, which shows that its holder is alive. */
export async function touchSpool(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now);
}

async function ageMs(file: string): Promise<number> {
  const facts = await stat(file).catch(() => undefined);
  return facts === undefined ? 0 : Date.now() - facts.mtimeMs;
}

/**
 * Returns whether the named process of this machine has ended. False when a living process has its number, which may be
 * a different process.
 */
function isGone({ host, processId }: Name): boolean {
  if (host !== os.hostname()) return false;
  // This process has the number now, so the holder has ended. In containers, every main process has the same number.
  if (processId === process.pid) return true;
  try {
    process.kill(processId, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
