import { randomBytes } from 'node:crypto';
import { readdir, rename, stat, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** `<host>~<process id>~<random>` of whoever holds a spool: part of its file's name. */
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

/** Spools with nobody at them for so long may be taken over, whether or not their holder lives. */
const QUIET_MS = 60_000;

/**
 * Spools that nobody is at: their holder was a process of this machine that is gone, or has not touched them for a
 * minute. Taking over one whose holder lives after all does no harm: see `spool.ts`.
 */
export async function listAbandoned(directory: string, me: string): Promise<string[]> {
  const files = await listSpools(directory);
  const abandoned: string[] = [];
  for (const file of files) {
    const name = parseName(path.basename(file));
    if (name === undefined || name.holder === me) continue;
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

/** Every spool of the directory, whoever holds it, oldest first; none when there is no such directory. */
export async function listSpools(directory: string): Promise<string[]> {
  const names = await namesIn(directory);
  return names
    .filter((name) => parseName(name) !== undefined)
    .toSorted()
    .map((name) => path.join(directory, name));
}

/** Something is wrong with a file, or with the directory, and not with Postgres. The cause says what. */
export class SpoolFileError extends Error {}

/** Makes the spool `mine`, in one step, so that one of several takes it. False when another was faster. */
export async function claimSpool(file: string, mine: string): Promise<boolean> {
  try {
    await rename(file, mine);
  } catch (error) {
    if (isMissing(error)) return false;
    throw new SpoolFileError('a spool cannot be taken over', { cause: error });
  }
  // It is ours all the same, if only its owner may touch it.
  await touchSpool(mine).catch(() => {});
  return true;
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Of a spool with records that cannot be read, and of one that cannot be read at all. */
const ASIDE = { damaged: '.damaged', unreadable: '.unreadable' };

/** Out of the way of the others, for people to look at; its new path. Nobody replays it any more. */
export async function setSpoolAside(file: string, why: keyof typeof ASIDE): Promise<string> {
  const aside = `${file}${ASIDE[why]}`;
  await rename(file, aside).catch((error: unknown) => {
    throw new SpoolFileError('a spool cannot be set aside', { cause: error });
  });
  return aside;
}

/** What was set aside in the directory. */
export async function listAside(directory: string): Promise<string[]> {
  const names = await namesIn(directory);
  return names
    .filter((name) => Object.values(ASIDE).some((ending) => name.endsWith(`${EXTENSION}${ending}`)))
    .toSorted()
    .map((name) => path.join(directory, name));
}

/** Shows that somebody is at it. */
export async function touchSpool(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now);
}

async function ageMs(file: string): Promise<number> {
  const facts = await stat(file).catch(() => undefined);
  return facts === undefined ? 0 : Date.now() - facts.mtimeMs;
}

/** A process of this name on this machine has ended. Under the number of a living one another may run by now. */
function isGone({ host, processId }: Name): boolean {
  if (host !== os.hostname()) return false;
  // In a container every main process has the same number, and this one is not the holder.
  if (processId === process.pid) return true;
  try {
    process.kill(processId, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
