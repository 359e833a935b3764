import { access, constants, type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { GenerationRecord } from '../../domain/generation.ts';
import { claimSpool, newHolder, spoolName } from './spool-files.ts';
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
  hasRoom(): boolean;
  /** Resolves when the rows are on the disk. */
  append(generations: readonly GenerationRecord[]): Promise<void>;
  /** Whether no file of this process is left to be replayed. */
  isEmpty(): boolean;
  /** Closes the file that is added to; the next rows begin a new one. The paths of all that are to be replayed. */
  rotate(): Promise<string[]>;
  /** Takes the file of another over; its new path, or undefined when somebody else was faster. */
  takeOver(file: string): Promise<string | undefined>;
  /** It was replayed, and is gone. */
  forget(file: string): void;
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
  const bytesOf = new Map<string, number>();
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
    // A file is not safe before its name is.
    await syncDirectory(directory);
    return { path: file, handle, inode: (await handle.stat()).ino };
  };
  const leave = async (): Promise<void> => {
    const left = current;
    current = undefined;
    await left?.handle.close();
  };

  const add = async (lines: Buffer): Promise<void> => {
    for (;;) {
      current ??= await begin();
      try {
        await current.handle.appendFile(lines);
        await current.handle.datasync();
      } catch (error) {
        // What is half written stays the end of its file, where it is known for what it is.
        await leave();
        throw error;
      }
      if (await hasItsName(current)) {
        bytesOf.set(current.path, (bytesOf.get(current.path) ?? 0) + lines.length);
        return;
      }
      bytesOf.delete(current.path);
      await leave();
    }
  };

  return {
    directory,
    holder,
    hasRoom: () => sumOf(bytesOf) < maxBytes,
    append: (generations) => inTurn(() => add(Buffer.from(`${generations.map(toSpoolLine).join('\n')}\n`))),
    rotate: () =>
      inTurn(async () => {
        await leave();
        return [...bytesOf.keys()];
      }),
    isEmpty: () => bytesOf.size === 0,
    async takeOver(file) {
      const mine = nextPath();
      if (!(await claimSpool(file, mine))) return undefined;
      bytesOf.set(mine, (await stat(mine)).size);
      return mine;
    },
    forget: (file) => void bytesOf.delete(file),
  };
}

async function hasItsName({ path: file, inode }: Current): Promise<boolean> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found?.ino === inode;
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
