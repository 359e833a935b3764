import { access, constants, type FileHandle, mkdir, open, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { claimSpool, isMissing, newHolder, spoolName, touchSpool } from './spool-files.ts';
import { toSpoolLine } from './spool-record.ts';

export interface SpoolOptions {
  /** The directory, on a volume that outlives the process. */
  directory: string;
  /** The size at which new work is refused; work under way still finds room. */
  maxBytes: number;
}

/**
 * Stores generations of this process on disk during an outage of Postgres.
 *
 * Only the process named in a file's name appends to it, and another process takes a file over by renaming it. After
 * each append, the process checks that the file still has its name. If not, the file was taken over, perhaps before
 * these rows were in it, and they are written again to another file. So a wrong guess about which process is alive
 * loses nothing, and a row that is written twice counts once.
 */
export interface Spool {
  readonly directory: string;
  /** The part of file names that identifies this process. */
  readonly holder: string;
  /** Returns false when the spool is full, and from a failed `append` until one succeeds. */
  hasRoom(): boolean;
  /** Resolves when the rows are on disk. When it rejects, none of them is stored. */
  append(generations: readonly GenerationRecord[]): Promise<void>;
  /** Returns whether every row that this process added was replayed. */
  isEmpty(): boolean;
  /** Returns the size of the files that this process added or took over and that were not replayed yet. */
  bytes(): number;
  /** Closes the current file; the next rows begin a new one. Returns the paths of all files to replay. */
  rotate(): Promise<string[]>;
  /** Takes over the file of another process. Returns its new path, or undefined when another process was faster. */
  takeOver(file: string): Promise<string | undefined>;
  /** Removes a file from the list of files to replay. */
  forget(file: string): void;
  /** Touches the files of this process, which shows others that it is alive. Never rejects. */
  touch(): Promise<void>;
}

interface Current {
  path: string;
  handle: FileHandle;
  inode: number;
}

/** Creates the spool. Rejects when the directory cannot be created or written. Creates no file before the first row. */
export async function createSpool({ directory, maxBytes }: SpoolOptions): Promise<Spool> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  const holder = newHolder();
  /** The bytes that this process added, by file. */
  const bytesOf = new Map<string, number>();
  /** The bytes of files taken over from other processes. They do not count against the room for new rows. */
  const taken = new Map<string, number>();
  let isFailing = false;
  let sequence = 0;
  let current: Current | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work);
    turn = mine;
    return mine;
  };
  const nextPath = (): string => path.join(directory, spoolName(holder, (sequence += 1)));
  const begin = async (): Promise<Current> => {
    const file = nextPath();
    // Customers' data: for the service's account only.
    const handle = await open(file, 'ax', 0o600);
    bytesOf.set(file, 0);
    const created = { path: file, handle, inode: 0 };
    try {
      // A file is not safe before its name is.
      await syncDirectory(directory);
      return { ...created, inode: (await handle.stat()).ino };
    } catch (error) {
      await takeBack(created);
      throw error;
    }
  };
  const leave = async (): Promise<void> => {
    const left = current;
    current = undefined;
    await left?.handle.close();
  };
  /**
   * Removes the remains of a failed write, which would fill a full disk further, and empty files. If this fails too,
   * a torn end does no harm.
   */
  const takeBack = async ({ path: file, handle }: Current): Promise<void> => {
    current = undefined;
    const kept = bytesOf.get(file) ?? 0;
    if (kept === 0) bytesOf.delete(file);
    await (kept === 0 ? unlink(file) : handle.truncate(kept)).catch(() => {});
    await handle.close().catch(() => {});
  };

  const add = async (lines: Buffer): Promise<void> => {
    for (;;) {
      current ??= await begin();
      let isMine: boolean;
      try {
        await current.handle.appendFile(lines);
        await current.handle.datasync();
        isMine = await hasItsName(current);
      } catch (error) {
        await takeBack(current);
        throw error;
      }
      if (isMine) {
        bytesOf.set(current.path, (bytesOf.get(current.path) ?? 0) + lines.length);
        return;
      }
      bytesOf.delete(current.path);
      await leave();
    }
  };
  const append = async (generations: readonly GenerationRecord[]): Promise<void> => {
    try {
      await add(Buffer.from(`${generations.map(toSpoolLine).join('\n')}\n`));
      isFailing = false;
    } catch (error) {
      isFailing = true;
      throw error;
    }
  };

  return {
    directory,
    holder,
    hasRoom: () => !isFailing && sumOf(bytesOf) < maxBytes,
    append: (generations) => inTurn(() => append(generations)),
    rotate: () =>
      inTurn(async () => {
        await leave();
        return [...bytesOf.keys(), ...taken.keys()];
      }),
    isEmpty: () => bytesOf.size === 0,
    bytes: () => sumOf(bytesOf) + sumOf(taken),
    async takeOver(file) {
      const mine = nextPath();
      if (!(await claimSpool(file, mine))) return undefined;
      taken.set(mine, 0);
      taken.set(mine, await sizeOf(mine));
      return mine;
    },
    forget(file) {
      bytesOf.delete(file);
      taken.delete(file);
    },
    async touch() {
      for (const file of [...bytesOf.keys(), ...taken.keys()]) await touchSpool(file).catch(() => {});
    },
  };
}

async function hasItsName({ path: file, inode }: Current): Promise<boolean> {
  const found = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return found?.ino === inode;
}

/** Returns a file's size, or 0 when it is unknown, which affects only the metrics. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function sumOf(bytes: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const size of bytes.values()) sum += size;
  return sum;
}
