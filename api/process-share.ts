import { MIN_POOL_OF_PROCESS } from '../platform/api-processes.ts';
import type { Config } from '../platform/config.ts';
import { ConfigError } from '../platform/config-variable.ts';

/** The part that one API process may take of the connections, memory and disk that all of them share. */
export interface ProcessShare {
  /** Connections for requests. */
  poolMax: number;
  /** Connections for questions that take long. */
  heavyReads: number;
  bodyBytes: number;
  spoolBytes: number;
}

/** The most reads at once; a caller who comes later waits for a turn, ten seconds at most. */
const HEAVY_READS = 4;
/** One organization never holds all of them. */
const MIN_HEAVY_READS = 2;
/** The memory that the bodies of all requests may take together. */
const BODY_BYTES = 512 * 1024 ** 2;

/** Divides among the processes. Throws a ConfigError when too few connections are left for each. */
export function shareOf({ http: { processes }, database, ledger }: Config): ProcessShare {
  const poolMax = Math.floor(database.poolMax / processes);
  if (processes > 1 && poolMax < MIN_POOL_OF_PROCESS) {
    const enoughFor = Math.max(1, Math.floor(database.poolMax / MIN_POOL_OF_PROCESS));
    throw new ConfigError([
      {
        variable: 'DATABASE_POOL_MAX',
        message: `is ${database.poolMax}, and each of the ${processes} processes of API_PROCESSES needs ${MIN_POOL_OF_PROCESS} connections: that is enough for ${enoughFor}`,
        example: `DATABASE_POOL_MAX=${processes * MIN_POOL_OF_PROCESS}`,
      },
    ]);
  }
  return {
    poolMax,
    heavyReads: Math.max(MIN_HEAVY_READS, Math.floor(HEAVY_READS / processes)),
    bodyBytes: Math.floor(BODY_BYTES / processes),
    spoolBytes: Math.floor((ledger.spool?.maxBytes ?? 0) / processes),
  };
}
