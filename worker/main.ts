/**
 * Runs the worker process: it serves its Temporal task queues until a stop signal. An argument names a file of
 * `build-bundle.ts` to load in place of the one of the build.
 */
import '../platform/require-node.ts';
import { requireDatabase } from '../db/require-database.ts';
import { configOrExit, loadConfig } from '../platform/config.ts';
import { logCrashes } from '../platform/log-crashes.ts';
import { createLogger } from '../platform/logger.ts';
import { onShutdown } from '../platform/shutdown.ts';
import { requireCredentials } from '../services/catalog/require-credentials.ts';
import { installRuntime, temporalMetricsAddress } from './install-runtime.ts';
import { startWorker } from './start-worker.ts';

const SHUTDOWN_MARGIN_MS = 15_000;

const config = configOrExit((env) => {
  const loaded = loadConfig(env);
  requireCredentials(loaded.providers);
  return loaded;
}, process.env);
const logger = createLogger({ level: config.logLevel, name: 'worker' });
logCrashes(logger);
for (const warning of config.warnings) logger.warn(warning);
await requireDatabase(config.database.url);
installRuntime(logger, await temporalMetricsAddress(config.metrics));

const { failed, shutdownSteps } = await startWorker(config, logger, { bundlePath: process.argv[2] });
failed.catch((error: unknown) => {
  logger.fatal({ err: error }, 'a worker failed');
  process.exit(1);
});
logger.info(
  { queues: config.worker.queues, namespace: config.temporal.namespace },
  'the worker polls its queues',
);
onShutdown(logger, config.worker.shutdownGraceMs + SHUTDOWN_MARGIN_MS, shutdownSteps);
