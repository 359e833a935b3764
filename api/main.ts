import { configOrExit } from '../platform/config-or-exit.ts';
import { loadConfig } from '../platform/config.ts';
import { keepHeapSmall } from '../platform/heap-growth.ts';
import { logCrashes } from '../platform/log-crashes.ts';
import { createLogger } from '../platform/logger.ts';
import { onShutdown } from '../platform/shutdown.ts';
import { startApi } from './start-api.ts';

/** For those who were cut off, and for a ledger that nobody takes rows from. */
const SHUTDOWN_MARGIN_MS = 20_000;

keepHeapSmall();
const config = configOrExit(loadConfig, process.env);
const logger = createLogger({ level: config.logLevel, name: 'api' });
logCrashes(logger);
for (const warning of config.warnings) logger.warn(warning);

const { port, shutdownSteps } = await startApi(config, logger);
logger.info({ port, publicUrl: config.http.publicUrl }, 'the API is listening');
onShutdown(logger, config.http.shutdownGraceMs + SHUTDOWN_MARGIN_MS, shutdownSteps);
