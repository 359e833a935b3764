/** Computes how many processes the API runs on this machine. */
import { availableParallelism } from 'node:os';

/** The fewest connections per API process: a transaction holds one, and other queries need another. */
export const MIN_POOL_OF_PROCESS = 2;

interface ProcessValues {
  API_PROCESSES: number | 'auto';
  DATABASE_POOL_MAX: number;
}

/** Returns the number of API processes. `auto`: one for each processor, as far as the connections allow. */
export function processesOf({ API_PROCESSES: processes, DATABASE_POOL_MAX: poolMax }: ProcessValues): number {
  if (processes !== 'auto') return processes;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(poolMax / MIN_POOL_OF_PROCESS)));
}

/** Warns if `auto` leaves processors unused. */
export function warningsOfProcesses(values: ProcessValues): string[] {
  const [processes, processors] = [processesOf(values), availableParallelism()];
  if (values.API_PROCESSES !== 'auto' || processes >= processors) return [];
  return [
    `API_PROCESSES=auto starts ${processes} processes for ${processors} processors: DATABASE_POOL_MAX=${values.DATABASE_POOL_MAX} is enough for no more`,
  ];
}
