/** Shuts a process down in order when it receives a signal. */
import { constants } from 'node:os';
import type { Logger } from './logger.ts';

export interface ShutdownStep {
  name: string;
  run: () => Promise<void>;
}

/**
 * The time within which repeated signals count as one: npm passes on the terminal's Ctrl-C to its script a millisecond
 * later.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs the steps in order, once, on the first SIGINT or SIGTERM, and exits. The exit code is 0 if all steps succeeded,
 * and 1 if a step failed (the later ones still run) or the deadline passed. Another signal, a second or more later,
 * exits at once with 128 + its number.
 *
 * Call this once per process, after opening the resources that the steps close. It returns a function that starts the
 * same shutdown without a signal; the next signal then counts as the first.
 */
export function onShutdown(logger: Logger, deadlineMs: number, steps: ShutdownStep[]): () => void {
  let signalledAtMs: number | undefined;
  let isStopping = false;
  const stop = (signal?: 'SIGINT' | 'SIGTERM'): void => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal, deadlineMs }, 'shutting down');
    void runSteps(logger, deadlineMs, steps).then((code) => process.exit(code));
  };
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    if (signalledAtMs !== undefined) {
      if (performance.now() - signalledAtMs < SAME_SIGNAL_MS) return;
      logger.warn({ signal }, 'second signal, exiting at once');
      process.exit(128 + constants.signals[signal]);
    }
    signalledAtMs = performance.now();
    stop(signal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => stop();
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
