/** Lists the steps in which an API process stops. */
import { setTimeout as delay } from 'node:timers/promises';
import type { MetricsListener } from '../platform/metrics-listener.ts';
import type { ShutdownStep } from '../platform/shutdown.ts';
import type { ApiServer } from './http/server.ts';
import type { Databases } from './open-databases.ts';
import type { ServiceParts } from './service-parts.ts';

interface Open {
  data: Databases;
  parts: ServiceParts;
  closeSpending(): Promise<void>;
  server: ApiServer;
  metricsListener: MetricsListener;
  /** Makes the process unready. */
  stopping: AbortController;
}

/** Returns the steps in order: load balancers first, then requests in flight, and the database last. */
export function shutdownStepsOf(open: Open): ShutdownStep[] {
  const { data, parts, closeSpending, server, metricsListener } = open;
  const { shutdownGraceMs } = parts.config.http;
  return [
    { name: 'load balancers', run: () => letBalancersLeave(open) },
    { name: 'callers who wait for jobs', run: async () => parts.memory.jobWatch.stop() },
    { name: 'requests under way', run: () => server.close(shutdownGraceMs) },
    { name: 'job starts', run: () => parts.starter.drain() },
    { name: 'requests of interns', run: () => parts.egressLog.close() },
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
 * Serves for a while as before, but unready, and closes each connection after its next answer. A process whose
 * successor serves the same port skips this: balancers need not leave.
 */
async function letBalancersLeave({ parts, server, stopping }: Open): Promise<void> {
  const { drainDelayMs } = parts.config.http;
  if (drainDelayMs === 0 || server.isReplaced()) return;
  stopping.abort();
  server.closeAfterAnswers();
  await delay(drainDelayMs);
}
