import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { onShutdown } from '../platform/shutdown.ts';
import { onMessageOfPrimary, tellPrimary } from './cluster/messages.ts';
import { startApi } from './start-api.ts';

export interface ServeOptions {
  /** How long the process may take to stop. */
  stopMs: number;
  /** The number of this process, when it is one of several. */
  child: number | undefined;
}

/** Serves the API in this process until it is told to stop. */
export async function serve(config: Config, logger: Logger, { stopMs, child }: ServeOptions): Promise<void> {
  if (child === undefined) {
    const { port, shutdownSteps } = await startApi(config, logger);
    logger.info({ port, publicUrl: config.http.publicUrl }, 'the API is listening');
    onShutdown(logger, stopMs, shutdownSteps);
    return;
  }
  // A terminal sends it to all processes; only the primary one acts on it.
  process.on('SIGHUP', () => {});
  const log = logger.child({ child });
  const { port, shutdownSteps, leaveTimeToMove, metrics } = await startApi(config, log, { child });
  log.info({ port, publicUrl: config.http.publicUrl }, 'the API is listening');
  const stop = onShutdown(log, stopMs, shutdownSteps);
  const show = async (): Promise<void> => tellPrimary({ kind: 'metrics', series: await metrics.snapshot() });
  onMessageOfPrimary(({ kind }) => {
    if (kind === 'metrics') {
      show().catch((error: unknown) => log.warn({ err: error }, 'metrics of this process cannot be shown'));
      return;
    }
    if (kind === 'retire') leaveTimeToMove();
    stop();
  });
  tellPrimary({ kind: 'ready' });
}
