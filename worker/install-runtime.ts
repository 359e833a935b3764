import { lookup } from 'node:dns/promises';
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Sends the Temporal SDK's logs at warning and above to the process's own logger; the UI shows the rest better. Call
 * it once per process, before the first connection and the first worker. `metricsAddress` is where the SDK exposes
 * its own metrics; it exposes none when undefined.
 */
export function installRuntime(logger: Logger, metricsAddress?: string): void {
  try {
    Runtime.install(runtimeOptions(logger, metricsAddress));
  } catch (cause) {
    if (metricsAddress === undefined || cause instanceof IllegalStateError) throw cause;
    throw new Error(
      `TEMPORAL_METRICS_PORT: the Temporal SDK cannot show its metrics on ${metricsAddress}: ${String(cause)}`,
      { cause },
    );
  }
}

function runtimeOptions(logger: Logger, metricsAddress: string | undefined): RuntimeOptions {
  return {
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const { error, ...facts } = meta ?? {};
      logger[LEVELS[level]]({ ...facts, ...(error === undefined ? {} : { err: error }) }, message);
    }),
    // Forwards the logs of the SDK's native part. By default they bypass the logger and go straight to the terminal.
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsAddress === undefined ? {} : { metrics: { prometheus: prometheusOn(metricsAddress) } }),
    },
    // `platform/shutdown.ts` handles signals, because the steps of a shutdown have an order.
    shutdownSignals: [],
  };
}

/** Returns the options that give metrics the names and units of Prometheus: `_total`, `_seconds`. */
function prometheusOn(bindAddress: string) {
  return { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
}

/** Returns the address on which the SDK exposes its own metrics. The SDK accepts addresses but no host names. */
export async function temporalMetricsAddress({
  host,
  temporalPort,
}: Config['metrics']): Promise<string | undefined> {
  if (temporalPort === undefined) return undefined;
  const { address, family } = await lookup(host);
  return `${family === 6 ? `[${address}]` : address}:${temporalPort}`;
}
