import { createApp } from '../../../api/app.ts';
import { createCallerAddresses } from '../../../api/http/request/caller-addresses.ts';
import { createRequestMetrics } from '../../../api/http/request-metrics.ts';
import { createServer } from '../../../api/http/server.ts';
import type { AnswersInFlight } from '../../../platform/answers-in-flight.ts';
import { createLogger } from '../../../platform/logger.ts';
import { type Metrics, NO_METRICS } from '../../../platform/metrics.ts';
import { type FakedServices, fakeServices } from './fake-services.ts';
import { freeMemory } from '../../support/free-answer.ts';

export const MAX_BODY_BYTES = 64 * 1024;
export const PUBLIC_URL = 'https://gateway.test';

/** The second mark is that of an earlier key. */
export const HOP_MARKS = ['own-mark', 'own-mark-before'] as const;

export interface ServedApi {
  origin: string;
  port: number;
  /** What was logged so far. */
  logLines: Record<string, unknown>[];
  /** Resolves with the first log line, past or future, that has these fields. */
  logged(fields: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Makes `close` give clients time to move. */
  allowTimeToReconnect(): void;
  close(graceMs?: number): Promise<void>;
}

/** The real application behind a real listener; only the services below it are stand-ins. */
export async function serveApi(
  overrides: FakedServices = {},
  metrics: Metrics = NO_METRICS,
  corsOrigins: string[] = [],
  answers: AnswersInFlight = { open: freeMemory },
): Promise<ServedApi> {
  const log = createLogSink();
  const app = createApp(fakeServices(overrides), {
    publicUrl: PUBLIC_URL,
    signedUrlMs: 3_600_000,
    pollBounds: { shortestMs: 2_000, longestMs: 30_000 },
    maxBodyBytes: MAX_BODY_BYTES,
    maxGenerationBodyBytes: MAX_BODY_BYTES,
    gate: { busy: () => {} },
    addresses: createCallerAddresses([]),
    corsOrigins,
    hopMarks: HOP_MARKS,
    retention: { generationsMs: 1, contentsMs: 1 },
    bodyBytes: 512 * 1024 ** 2,
    answers,
    metrics: createRequestMetrics(metrics),
    logger: createLogger({ level: 'debug', name: 'test', destination: log }),
  });
  const server = createServer(app.callback());
  const port = await server.listen(0, '127.0.0.1');
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    logLines: log.lines,
    logged: log.logged,
    allowTimeToReconnect: () => server.allowTimeToReconnect(),
    close: (graceMs = 0) => server.close(graceMs),
  };
}

function createLogSink() {
  const lines: Record<string, unknown>[] = [];
  const waiting = new Set<(line: Record<string, unknown>) => void>();
  return {
    lines,
    write(text: string): void {
      const line = JSON.parse(text);
      lines.push(line);
      for (const see of waiting) see(line);
    },
    logged(fields: Record<string, unknown>): Promise<Record<string, unknown>> {
      const matches = (line: Record<string, unknown>): boolean =>
        Object.entries(fields).every(([name, value]) => line[name] === value);
      const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
      const see = (line: Record<string, unknown>): void => {
        if (!matches(line)) return;
        waiting.delete(see);
        resolve(line);
      };
      waiting.add(see);
      lines.forEach(see);
      return promise;
    },
  };
}
