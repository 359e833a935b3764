import { access, constants, type FileHandle, mkdir, open, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { claimSpool, isMissing, newHolder, spoolName, touchSpool } from './spool-files.ts';
import { toSpoolLine } from './spool-record.ts';

export interface SpoolOptions {
  /** On a volume that outlives the process. */
  directory: string;
  /** New work is refused from here on; what is under way still finds room. */
  maxBytes: number;
}

/**
 * Where this process keeps generations on disk while Postgres is away. A file is only ever added to by the process
 * whose name it has, and taken over by renaming it. So whoever adds looks afterwards whether the file still has its
 * name: if not, it was taken, perhaps before these rows were in it, and they are written again elsewhere. Nothing
 * is lost by a wrong guess about who lives, and what is written twice counts once.
 */
export interface Spool {
  readonly directory: string;
  /** Part of the names of this process's files. */
  readonly holder: string;
  /** False when it is full, and from an `append` that failed to one that did not. */
  hasRoom(): boolean;
  /** Resolves when the rows are on the disk. Rejects when they are not: then nothing of them is kept. */
  append(generations: readonly GenerationRecord[]): Promise<void>;
  /** Whether nothing that this process added is left to be replayed. */
  isEmpty(): boolean;
  /** The size of what this process added or took over and nobody has replayed. */
  bytes(): number;
  /** Closes the file that is added to; the next rows begin a new one. The paths of all that are to be replayed. */
  rotate(): Promise<string[]>;
  /** Takes the file of another over; its new path, or undefined when somebody else was faster. */
  takeOver(file: string): Promise<string | undefined>;
  /** Nobody will replay it any more. */
  forget(file: string): void;
  /** Shows others that somebody is at the files of this process. Never rejects. */
  touch(): Promise<void>;
}

interface Current {
  path: string;
  handle: FileHandle;
  inode: number;
}

/** Rejects when the directory cannot be made or written. Makes no file before the first row. */
export async function createSpool({ directory, maxBytes }: SpoolOptions): Promise<Spool> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  const holder = newHolder();
  /** What this process added, by file, in bytes. */
  const bytesOf = new Map<string, number>();
  /** What it took over from others, by file, in bytes. It does not count against the room for new rows. */
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
    const begun = { path: file, handle, inode: 0 };
    try {
      // A file is not safe before its name is.
      await syncDirectory(directory);
      return { ...begun, inode: (await handle.stat()).ino };
    } catch (error) {
      await takeBack(begun);
      throw error;
    }
  };
  const leave = async (): Promise<void> => {
    const left = current;
    current = undefined;
    await left?.handle.close();
  };
  /**
   * Of what failed, a part may be in the file: on a full disk it would be in the way for nothing, and so would an
   * empty file for every try. Where that fails too, a torn end does no harm.
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

/** Unknown sizes are left out of the metrics, and do no other harm. */
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
