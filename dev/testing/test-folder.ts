/** Makes the folder in which the servers of a test run keep their files. */
import { accessSync, chmodSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Linux keeps the files of this folder in memory. */
const MEMORY = '/dev/shm';
/** Suites at once, each with a database, and Postgres's log need about 1.5 GB of it. */
const ROOM_BYTES = 4_000_000_000;

/**
 * Creates a folder for the files of one run's servers. It is in memory where there is enough of it: each suite has a
 * database of its own, and that is 1,400 files, which cost about 0.3 s of processor time on a disk and 0.02 s there.
 */
export function makeTestFolder(): string {
  const folder = mkdtempSync(path.join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'sluice-test-'));
  // Postgres may run as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
