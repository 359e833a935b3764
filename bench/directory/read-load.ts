/** Generates the load of reads that runs beside a directory sync. */
import type { MeasuredGateway } from '../gateway-process.ts';
import { loadSockets } from '../live/socket-load.ts';
import { rawGet } from '../reads/single-read.ts';

const CONNECTIONS = 32;
const WARM_UP_MS = 15_000;
const QUIET_MS = 5_000;
const ROUND_MS = 2_000;

/** Reads one generation repeatedly on several connections, as fast as they are answered. */
export interface ReadLoad {
  warmUp(): Promise<void>;
  /** Resolves with the reads per second. */
  rate(): Promise<number>;
  /** Resolves with the reads per second during the work. */
  rateDuring(work: () => Promise<unknown>): Promise<number>;
}

export function createReadLoad(
  { origin, apiKey }: Pick<MeasuredGateway, 'origin' | 'apiKey'>,
  generationId: string,
): ReadLoad {
  const request = rawGet(`/api/v1/generation?id=${generationId}`, apiKey);
  const load = (durationMs: number) => loadSockets({ origin, request, connections: CONNECTIONS, durationMs });
  return {
    warmUp: async () => void (await load(WARM_UP_MS)),
    rate: async () => (await load(QUIET_MS)).perSecond,
    async rateDuring(work) {
      let isOver = false;
      const working = work().finally(() => (isOver = true));
      const rounds: number[] = [];
      for (;;) {
        const { perSecond } = await load(ROUND_MS);
        // The round in which the work ended is incomplete.
        if (!isOver || rounds.length === 0) rounds.push(perSecond);
        if (isOver) break;
      }
      await working;
      return rounds.reduce((sum, rate) => sum + rate, 0) / rounds.length;
    },
  };
}
