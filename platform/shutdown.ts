import { constants } from 'node:os';
import type { Logger } from './logger.ts';

export interface ShutdownStep {
  name: string;
  run: () => Promise<void>;
}

/**
 * Runs the steps in order, once, on the first SIGINT or SIGTERM, and exits: 0 when all succeeded, 1 when one
 * failed (the later ones still run) or the deadline passed. A second signal exits at once with 128 + its
 * number. Call it once per process, after what the steps close has been opened.
 */
export function onShutdown(logger: Logger, deadlineMs: number, steps: ShutdownStep[]): void {
  let stopping = false;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    if (stopping) {
      logger.warn({ signal }, 'second signal, exiting at once');
      process.exit(128 + constants.signals[signal]);
    }
    stopping = true;
    logger.info({ signal, deadlineMs }, 'shutting down');
    void runSteps(logger, deadlineMs, steps).then((code) => process.exit(code));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

async function runSteps(logger: Logger, deadlineMs: number, steps: ShutdownStep[]): Promise<0 | 1> {
  let current = '';
  let code: 0 | 1 = 0;
  const deadline = setTimeout(() => {
    logger.error({ step: current, deadlineMs }, 'shutdown did not finish in time');
    process.exit(1);
  }, deadlineMs);
  for (const { name, run } of steps) {
    current = name;
    try {
      await run();
      logger.debug({ step: name }, 'shutdown step done');
    } catch (error) {
      code = 1;
      logger.error({ step: name, err: error }, 'shutdown step failed');
    }
  }
  clearTimeout(deadline);
  logger.info('stopped');
  return code;
}
