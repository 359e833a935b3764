/** Implements the object store on a file system. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createByteMeter } from './byte-meter.ts';
import { assertObjectKey, assertRange } from './object-store.ts';
import type { ObjectStore } from './object-store.ts';

/**
 * The folder of incomplete uploads. It is on the same file system as the objects, so that the final rename is atomic.
 * No key starts with a dot.
 */
const INCOMING = '.incoming';
/** The age at which an incomplete upload is removed. No upload takes that long, so its process has died. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** Stores objects as files below a directory, which is created if missing. Replicas may share it over a network. */
export async function createFileObjectStore(directory: string): Promise<ObjectStore> {
  const root = resolve(directory);
  const incoming = join(root, INCOMING);
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await removeAbandoned(incoming);

  return {
    async put(key, body, { maxBytes }) {
      const temporary = join(incoming, randomUUID());
      const meter = createByteMeter(maxBytes);
      try {
        assertObjectKey(key);
        const file = await open(temporary, 'wx', 0o600);
        await pipeline(body, meter.measure, file.createWriteStream({ flush: true }));
        await moveInto(temporary, join(root, key));
        return meter.result();
      } catch (error) {
        body.destroy();
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async open(key, range) {
      assertObjectKey(key);
      const file = await openExisting(join(root, key));
      if (file === null) return null;
      try {
        const { size } = await file.stat();
        if (range !== undefined) assertRange(range, size);
        return { body: file.createReadStream(range), bytes: size };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    async delete(key) {
      assertObjectKey(key);
      const path = join(root, key);
      await rm(path, { force: true });
      await removeEmptyParents(dirname(path), root);
    },
  };
}

/**
 * Moves a complete file to its name, after `flush`, and makes the directory entries durable. A delete may remove the
 * directory between mkdir and rename, so it tries three times.
 */
async function moveInto(temporary: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const firstMade = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(temporary, path);
      return await syncDirectories(dirname(path), dirname(firstMade ?? path));
    } catch (error) {
      if (attempt === 3 || !hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/** Makes the names of a directory's files survive a loss of power. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs the directories from the innermost up to the one that already existed. */
async function syncDirectories(innermost: string, outermost: string): Promise<void> {
  await syncDirectory(innermost);
  if (innermost !== outermost) await syncDirectories(dirname(innermost), outermost);
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}

async function removeEmptyParents(directory: string, root: string): Promise<void> {
  if (directory === root) return;
  try {
    await rmdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY') || hasCode(error, 'ENOENT') || hasCode(error, 'EEXIST')) return;
    throw error;
  }
  await removeEmptyParents(dirname(directory), root);
}

async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
