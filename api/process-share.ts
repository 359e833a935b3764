/** Divides the connections, memory and disk of an API among its processes. */
import { getHeapStatistics } from 'node:v8';
import type { AnswerLimits } from '../platform/answers-in-flight.ts';
import { MIN_POOL_OF_PROCESS } from '../platform/api-processes.ts';
import type { Config } from '../platform/config.ts';
import { ConfigError } from '../platform/config-variable.ts';
import { descriptorLimit } from '../platform/descriptor-limit.ts';

/** The share of one API process in the connections, memory and disk of all. */
export interface ProcessShare {
  /** Connections for requests. */
  poolMax: number;
  /** Connections for long queries. */
  heavyReads: number;
  /** Connections for look-ups of keys that the process does not know. */
  unknownKeyReads: number;
  bodyBytes: number;
  answers: AnswerLimits & { memoryBytes: number };
  spoolBytes: number;
  /** The most requests that call upstreams at the same time, of one key and of one organization. */
  inFlight: { maxOfKey: number; maxOfOrganization: number };
}

/** The most long reads at once; later callers wait for up to ten seconds. */
const HEAVY_READS = 4;
/** The fewest long reads per process. With two, one organization never uses all of them. */
const MIN_HEAVY_READS = 2;
/** The most look-ups of unknown keys at once. Each process has one at least. */
const UNKNOWN_KEY_READS = 8;
/** The memory limit for the bodies of all requests. */
const BODY_BYTES = 512 * 1024 ** 2;
/** The part of its sockets that a process gives to the callers of one organization. Each of them needs a second one. */
const IN_FLIGHT_SHARE = 1 / 4;
/** The most sockets that are divided. For one upstream, a system has about as many ports. */
const MAX_SOCKETS = 32_768;

/** The part of the heap that the memory for answers may be, because a part of them lies there twice for a moment. */
const ANSWERS_OF_HEAP = 1 / 4;
/** The part of the heap that one answer may be: while it is parsed, it takes up to ten times as much. */
const ANSWER_OF_HEAP = 1 / 32;

/** Divides resources among the processes. Throws a ConfigError if too few connections are left for each. */
export function shareOf(
  { http, database, ledger, limits }: Config,
  heapBytes = getHeapStatistics().heap_size_limit,
): ProcessShare {
  const { processes } = http;
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
    unknownKeyReads: Math.max(1, Math.floor(UNKNOWN_KEY_READS / processes)),
    bodyBytes: Math.floor(BODY_BYTES / processes),
    answers: {
      memoryBytes: Math.floor(Math.min(http.answerMemoryBytes / processes, ANSWERS_OF_HEAP * heapBytes)),
      maxTextBytes: Math.floor(Math.min(http.maxAnswerBytes, ANSWER_OF_HEAP * heapBytes)),
      maxEventBytes: http.maxEventBytes,
      maxMediaBytes: Math.floor(Math.min(http.maxMediaAnswerBytes, ANSWER_OF_HEAP * heapBytes)),
    },
    spoolBytes: Math.floor((ledger.spool?.maxBytes ?? 0) / processes),
    inFlight: {
      maxOfKey: inFlightShare(limits.inFlightOfKey, processes),
      maxOfOrganization: inFlightShare(limits.inFlightOfOrganization, processes),
    },
  };
}

/** Returns the share in a configured limit. Without one it is a part of the process's own sockets. */
function inFlightShare(limit: number | undefined, processes: number): number {
  const sockets = Math.min(descriptorLimit(), MAX_SOCKETS);
  const share = limit === undefined ? sockets * IN_FLIGHT_SHARE : limit / processes;
  return Math.max(1, Math.floor(share));
}
