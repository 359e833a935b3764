/** Lists the steps in which an API process stops. */
import { setTimeout as delay } from 'node:timers/promises';
import type { MetricsListener } from '../platform/metrics-listener.ts';
import type { ShutdownStep } from '../platform/shutdown.ts';
import type { ApiServer } from './http/server.ts';
import type { Databases } from './open-databases.ts';
import type { ServiceParts } from './service-parts.ts';

interface OpenParts {
  data: Databases;
  parts: ServiceParts;
  closeSpending(): Promise<void>;
  server: ApiServer;
  metricsListener: MetricsListener;
  /** Aborting it makes /readyz answer 503. */
  stopping: AbortController;
}

/** Returns the steps in order: load balancers first, then requests in flight, and the database last. */
export function shutdownStepsOf(open: OpenParts): ShutdownStep[] {
  const { data, parts, closeSpending, server, metricsListener } = open;
  const { shutdownGraceMs } = parts.config.http;
  return [
    { name: 'load balancers', run: () => letBalancersLeave(open) },
    { name: 'callers who wait for jobs', run: async () => parts.memory.jobWatch.stop() },
    { name: 'requests under way', run: () => server.close(shutdownGraceMs) },
    { name: 'job starts', run: () => parts.starter.drain() },
    { name: 'egress log', run: () => parts.egressLog.close() },
    // Also waits for requests that outlasted the grace time, because their rows must be stored.
    { name: 'ledger', run: () => parts.ledger.close(server.settled()) },
    { name: 'nudges', run: () => parts.nudger.close() },
    { name: 'logged bodies', run: () => parts.bodies.close() },
    { name: 'spending', run: closeSpending },
    { name: 'notices', run: () => parts.memory.close() },
    { name: 'providers', run: () => parts.providers.close() },
    { name: 'outbound', run: () => parts.guard.close() },
    { name: 'outbound of interns', run: () => parts.egressGuard.close() },
    { name: 'temporal', run: () => parts.connection.close() },
    { name: 'statistics of models', run: () => parts.modelStatistics.close() },
    // Closes late, so that the metrics show the progress of the shutdown.
    { name: 'metrics', run: () => metricsListener.close() },
    { name: 'heavy reads', run: () => data.heavyReads.close() },
    { name: 'reads of unknown keys', run: () => data.unknownKeyReads.close() },
    { name: 'database', run: () => data.database.close() },
  ];
}

/**
 * Makes the process unready and serves on for `drainDelayMs`, so that load balancers stop sending. Each connection
 * closes after its next answer. Skipped when another process serves the same port.
 */
async function letBalancersLeave({ parts, server, stopping }: OpenParts): Promise<void> {
  const { drainDelayMs } = parts.config.http;
  if (drainDelayMs === 0 || server.isReplaced()) return;
  stopping.abort();
  server.closeAfterAnswers();
  await delay(drainDelayMs);
}
