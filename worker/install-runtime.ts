import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from '../platform/logger.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Sends what the Temporal SDK logs through the process's own logger, at warning and above: the UI shows the
 * rest better. Once per process, before the first worker.
 */
export function installRuntime(logger: Logger): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const { error, ...facts } = meta ?? {};
      logger[LEVELS[level]]({ ...facts, ...(error === undefined ? {} : { err: error }) }, message);
    }),
    // What the SDK's native part says goes past the logger otherwise, straight to the terminal.
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    // Signals belong to `platform/shutdown.ts`, which knows the order.
    shutdownSignals: [],
  });
}
