/**
 * Waits for the end of the process that runs the stack. If that process was killed (kill -9, out of memory), stops its
 * children. `supervisor.ts` starts the guard and holds the other end of its stdin, which the system closes when the
 * process ends.
 *
 * Arguments: the data folder; pid and identity of the process; and `throw-away` if the data folder is to be deleted.
 */
import { deleteDataDir } from '../postgres/cluster-place.ts';
import { stopOrphans } from './process-record.ts';

const [dataDir = '', pid = '', identity = '', mode] = process.argv.slice(2);

process.stdin.resume();
process.stdin.once('end', () => void cleanUp());

async function cleanUp(): Promise<void> {
  await stopOrphans(dataDir, () => undefined, { pid: Number(pid), identity });
  if (mode === 'throw-away') deleteDataDir(dataDir);
}
