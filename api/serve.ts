/** Runs one serving process of the API. A child also handles the messages of the primary process. */
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { onShutdown } from '../platform/shutdown.ts';
import { createWrongKeys, type WrongKeys } from '../services/accounts/identity/wrong-keys.ts';
import { onMessageOfPrimary, sendToPrimary } from './cluster/messages.ts';
import { startApi } from './start-api.ts';

export interface ServeOptions {
  /** The time that the process has to stop. */
  stopMs: number;
  /** The number of this process if there are several. */
  child: number | undefined;
}

/** Serves the API in this process until it is stopped. */
export async function serve(config: Config, logger: Logger, { stopMs, child }: ServeOptions): Promise<void> {
  if (child === undefined) {
    const { port, shutdownSteps } = await startApi(config, logger);
    logger.info({ port, publicUrl: config.http.publicUrl }, 'the API is listening');
    onShutdown(logger, stopMs, shutdownSteps);
    return;
  }
  // A terminal sends SIGHUP to all processes; only the primary one handles it.
  process.on('SIGHUP', () => {});
  const log = logger.child({ child });
  const wrongKeys = createWrongKeys();
  const { port, shutdownSteps, allowTimeToReconnect, metrics } = await startApi(config, log, {
    child,
    wrongKeys: withReports(wrongKeys),
  });
  log.info({ port, publicUrl: config.http.publicUrl }, 'the API is listening');
  const stop = onShutdown(log, stopMs, shutdownSteps);
  const show = async (): Promise<void> =>
    sendToPrimary({ kind: 'metrics', series: await metrics.snapshot() });
  onMessageOfPrimary((message) => {
    if (message.kind === 'refuse-keys') return wrongKeys.refuse(message.address, message.forMs);
    if (message.kind === 'metrics') {
      show().catch((error: unknown) => log.warn({ err: error }, 'metrics of this process cannot be shown'));
      return;
    }
    if (message.kind === 'retire') allowTimeToReconnect();
    stop();
  });
  sendToPrimary({ kind: 'ready' });
}

/** Reports each wrong key to the primary process, which counts those of all children. */
function withReports(wrongKeys: WrongKeys): WrongKeys {
  return {
    ...wrongKeys,
    add(address) {
      wrongKeys.add(address);
      sendToPrimary({ kind: 'wrong-key', address });
    },
  };
}
