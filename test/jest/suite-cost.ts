import { appendFileSync, readFileSync } from 'node:fs';
import type { SuiteCost } from '../../dev/testing/suite-costs.ts';

/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;

/** Measures what a suite costs from now on. What is returned appends it to the file that SLUICE_TEST_COSTS names. */
export function startSuiteCost(testPath: string): () => void {
  const file = process.env['SLUICE_TEST_COSTS'];
  if (!file) return () => {};
  const startedAt = performance.now();
  const before = usedMs();
  return () => {
    const cost: SuiteCost = {
      path: testPath,
      wallMs: performance.now() - startedAt,
      cpuMs: usedMs() - before,
    };
    appendFileSync(file, `${JSON.stringify(cost)}\n`);
  };
}

/** The processor time of this process, and of the processes that it started and that ended. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + endedChildrenMs();
}

/** From the kernel's file about this process (proc_pid_stat(5), fields 16 and 17); other systems have none. */
function endedChildrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const text = readFileSync('/proc/self/stat', 'utf8');
  // The second field, a name in parentheses, may have spaces in it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
