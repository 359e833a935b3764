import { IllegalStateError } from '@temporalio/common';
import { createLogger, type Logger } from '../../platform/logger.ts';
import { installRuntime } from '../../worker/install-runtime.ts';

const quietLogger = createLogger({ level: 'fatal', name: 'test' });

/**
 * The native part of workers, quiet, before any of them. It goes with the last worker of the process, and
 * stays when there never was one, which keeps the process from ending: so not before it is needed.
 */
export function ensureRuntime(logger: Logger = quietLogger): void {
  try {
    installRuntime(logger);
  } catch (error) {
    // Of a worker that still runs.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
