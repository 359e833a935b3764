/** Runs the primary process of the API, which starts, restarts and stops the processes that serve. */
import type { Config } from '../../platform/config.ts';
import { createMetrics } from '../../platform/create-metrics.ts';
import type { Logger } from '../../platform/logger.ts';
import { listenForMetrics } from '../../platform/metrics-listener.ts';
import { onShutdown } from '../../platform/shutdown.ts';
import { createWrongKeys } from '../../services/accounts/identity/wrong-keys.ts';
import { type Child, type ChildExit, ChildNotReadyError, forkChild } from './child.ts';
import { createClusterMetrics } from './cluster-metrics.ts';
import { createSlot } from './slot.ts';

/** The time to receive the exits of children, and to kill one that hangs. */
const MARGIN_MS = 5_000;

/**
 * Accepts connections and passes each to a child. Exits if a child does not start, as a single process would. `stopMs`:
 * the time that a child has to stop.
 */
export async function runPrimary(config: Config, logger: Logger, stopMs: number): Promise<void> {
  const { processes, publicUrl } = config.http;
  const metrics = createClusterMetrics(createMetrics(config.metrics.apiPort));
  const metricsListener = await listenForMetrics({
    variable: 'METRICS_PORT',
    host: config.metrics.host,
    port: config.metrics.apiPort,
    text: metrics.text,
    logger,
  });
  const wrongKeys = createClusterWrongKeys();
  const fork = (n: number): Child => wrongKeys.watch(metrics.watch(forkChild(n)));
  const slots = Array.from({ length: processes }, (_, index) =>
    createSlot({ n: index + 1, fork, stopMs, logger }),
  );
  let isStopping = false;
  const stop = async (): Promise<void> => {
    isStopping = true;
    const exits = (await Promise.all(slots.map((slot) => slot.stop()))).flat();
    if (exits.some(failed)) throw new Error('an API process did not stop in order');
  };
  /**
   * Replaces the children one by one. A successor that does not start ends the restart; its predecessor and all others
   * continue.
   */
  const restart = async (): Promise<void> => {
    logger.info({ processes }, 'restarting the API processes one by one');
    try {
      for (const slot of slots) await slot.renew();
      logger.info({ processes }, 'the API processes are restarted');
    } catch (error) {
      if (isStopping) return;
      logger.error(
        { err: error },
        'the restart is given up: an API process did not start; the others keep serving',
      );
    }
  };
  onShutdown(logger, stopMs + MARGIN_MS, [
    { name: 'API processes', run: stop },
    { name: 'metrics', run: () => metricsListener.close() },
  ]);
  let isBusy = true;
  process.on('SIGHUP', () => {
    if (isStopping) return;
    if (isBusy) return logger.warn('the API processes are being started already');
    isBusy = true;
    void restart().finally(() => {
      isBusy = false;
    });
  });
  try {
    await Promise.all(slots.map((slot) => slot.start()));
    isBusy = false;
    logger.info({ processes, publicUrl }, 'all API processes listen');
  } catch (error) {
    if (isStopping) return;
    logger.fatal({ err: error }, 'an API process does not start; the API ends');
    await stop().catch(() => undefined);
    process.exit((error instanceof ChildNotReadyError ? error.exit.code : null) ?? 1);
  }
}

/** Returns whether a child failed. SIGTERM ends a child that is still starting, which is no failure. */
function failed({ code, signal }: ChildExit): boolean {
  return code !== 0 && signal !== 'SIGTERM';
}

/** Counts the wrong keys that each address sends to all API processes together. */
function createClusterWrongKeys() {
  const wrongKeys = createWrongKeys();
  const living = new Set<Child>();
  const add = (address: string): void => {
    wrongKeys.add(address);
    const forMs = wrongKeys.refusedForMs(address);
    if (forMs === 0) return;
    for (const child of living) child.send({ kind: 'refuse-keys', address, forMs });
  };
  return {
    /** Counts the wrong keys of the child, and tells it which addresses to refuse. Returns the child. */
    watch(child: Child): Child {
      living.add(child);
      child.onWrongKey(add);
      void child.exited.then(() => living.delete(child));
      return child;
    },
  };
}
