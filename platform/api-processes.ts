/** Computes how many processes the API runs on this machine. */
import { availableParallelism } from 'node:os';

/** The fewest connections per API process: a transaction holds one, and other queries need another. */
export const MIN_POOL_OF_PROCESS = 2;

/** Returns the number of API processes. `auto`: one for each processor, as far as the connections allow. */
export function processesOf(processes: number | 'auto', poolMax: number): number {
  if (processes !== 'auto') return processes;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(poolMax / MIN_POOL_OF_PROCESS)));
}

/** Warns if `auto` leaves processors unused. */
export function warningsOfProcesses(setting: number | 'auto', poolMax: number): string[] {
  const [processes, processors] = [processesOf(setting, poolMax), availableParallelism()];
  if (setting !== 'auto' || processes >= processors) return [];
  return [
    `API_PROCESSES=auto starts ${processes} processes for ${processors} processors: DATABASE_POOL_MAX=${poolMax} is enough for no more`,
  ];
}
