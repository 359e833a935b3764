/** Keeps generations on the local disk while Postgres is down. */
import { access, constants, type FileHandle, mkdir, open, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { syncDirectory } from '../../../platform/file-object-store.ts';
import { claimSpool, isMissing, newHolder, spoolName, touchSpool } from './spool-files.ts';
import { toSpoolLine } from './spool-record.ts';

export interface SpoolOptions {
  /** The directory, on a volume that outlives the process. */
  directory: string;
  /** The size at which new work is refused. Requests in flight may still append. */
  maxBytes: number;
}

/**
 * Stores generations of this process on disk during an outage of Postgres.
 *
 * Only the process named in a file's name appends to it. Another process takes a file over by renaming it. After each
 * append, the process checks that the file still has its name. If another process took it over, perhaps before these
 * rows were in it, the rows are written again to another file. So a wrong assumption about which process is alive loses
 * nothing, and a row that is written twice counts once.
 */
export interface Spool {
  readonly directory: string;
  /** The part of file names that identifies this process. */
  readonly holder: string;
  /** Returns false when the spool is full, and after a failed `append` until one succeeds. */
  hasRoom(): boolean;
  /** Resolves when the rows are on disk. When it rejects, none of them is stored. */
  append(generations: readonly GenerationRecord[]): Promise<void>;
  /** Returns whether a replay has recorded every row that this process added. */
  isEmpty(): boolean;
  /** Returns the size of the files that this process added or took over and has not replayed yet. */
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

/** The files of this process. */
interface SpoolFiles {
  directory: string;
  holder: string;
  /** The bytes that this process added, by file. */
  bytesOf: Map<string, number>;
  /** The bytes that this process took over from other processes, by file. They do not count against `maxBytes`. */
  taken: Map<string, number>;
  isFailing: boolean;
  sequence: number;
  current: Current | undefined;
}

/** Creates the spool. Rejects when the directory cannot be created or written. Creates no file before the first row. */
export async function createSpool({ directory, maxBytes }: SpoolOptions): Promise<Spool> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);

  const files: SpoolFiles = {
    directory,
    holder: newHolder(),
    bytesOf: new Map<string, number>(),
    taken: new Map<string, number>(),
    isFailing: false,
    sequence: 0,
    current: undefined,
  };
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work, work);
    turn = result;
    return result;
  };

  return {
    directory,
    holder: files.holder,
    hasRoom: () => !files.isFailing && sumOf(files.bytesOf) < maxBytes,
    append: (generations) => inTurn(() => append(files, generations)),
    rotate: () =>
      inTurn(async () => {
        await closeCurrent(files);
        return [...files.bytesOf.keys(), ...files.taken.keys()];
      }),
    isEmpty: () => files.bytesOf.size === 0,
    bytes: () => sumOf(files.bytesOf) + sumOf(files.taken),
    async takeOver(file) {
      const ownPath = nextPath(files);
      if (!(await claimSpool(file, ownPath))) return undefined;
      files.taken.set(ownPath, 0);
      files.taken.set(ownPath, await sizeOf(ownPath));
      return ownPath;
    },
    forget(file) {
      files.bytesOf.delete(file);
      files.taken.delete(file);
    },
    async touch() {
      for (const file of [...files.bytesOf.keys(), ...files.taken.keys()])
        await touchSpool(file).catch(() => {});
    },
  };
}

function nextPath(files: SpoolFiles): string {
  return path.join(files.directory, spoolName(files.holder, (files.sequence += 1)));
}

async function openFile(files: SpoolFiles): Promise<Current> {
  const file = nextPath(files);
  // The file holds customers' data, so only the service's account may read it.
  const handle = await open(file, 'ax', 0o600);
  files.bytesOf.set(file, 0);
  const started = { path: file, handle, inode: 0 };
  try {
    // A file survives a crash only after its directory was synced too.
    await syncDirectory(files.directory);
    return { ...started, inode: (await handle.stat()).ino };
  } catch (error) {
    await undoAppend(files, started);
    throw error;
  }
}

async function closeCurrent(files: SpoolFiles): Promise<void> {
  const closing = files.current;
  files.current = undefined;
  await closing?.handle.close();
}

/**
 * Truncates the file to the last whole row after a failed write, and removes a file without rows. On a full disk,
 * partial rows and empty files would only take space. A failure here is harmless, because a replay ignores a torn end.
 */
async function undoAppend(files: SpoolFiles, { path: file, handle }: Current): Promise<void> {
  files.current = undefined;
  const kept = files.bytesOf.get(file) ?? 0;
  if (kept === 0) files.bytesOf.delete(file);
  await (kept === 0 ? unlink(file) : handle.truncate(kept)).catch(() => {});
  await handle.close().catch(() => {});
}

async function add(files: SpoolFiles, lines: Buffer): Promise<void> {
  for (;;) {
    files.current ??= await openFile(files);
    let isMine: boolean;
    try {
      await files.current.handle.appendFile(lines);
      await files.current.handle.datasync();
      isMine = await hasItsName(files.current);
    } catch (error) {
      await undoAppend(files, files.current);
      throw error;
    }
    if (isMine) {
      files.bytesOf.set(files.current.path, (files.bytesOf.get(files.current.path) ?? 0) + lines.length);
      return;
    }
    files.bytesOf.delete(files.current.path);
    await closeCurrent(files);
  }
}

async function append(files: SpoolFiles, generations: readonly GenerationRecord[]): Promise<void> {
  try {
    await add(files, Buffer.from(`${generations.map(toSpoolLine).join('\n')}\n`));
    files.isFailing = false;
  } catch (error) {
    files.isFailing = true;
    throw error;
  }
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

function sumOf(bytes: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const size of bytes.values()) sum += size;
  return sum;
}
