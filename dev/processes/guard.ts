/**
 * Waits for the end of the process that runs the stack. If that was killed (kill -9, out of memory) and so
 * could not stop its children, stops them in its place. Started by `supervisor.ts`, which holds the other
 * end of stdin: the system closes it however the process ends.
 *
 * Arguments: the data folder; pid and identity of the process; `throw-away` to delete the data folder then.
 */
import { deleteDataDir } from '../postgres/cluster-place.ts';
import { stopLeftovers } from './process-record.ts';

const [dataDir = '', pid = '', identity = '', fate] = process.argv.slice(2);

process.stdin.resume();
process.stdin.once('end', () => void cleanUp());

async function cleanUp(): Promise<void> {
  await stopLeftovers(dataDir, () => undefined, { pid: Number(pid), identity });
  if (fate === 'throw-away') deleteDataDir(dataDir);
}
