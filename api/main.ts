/** Starts an API process: the only one, the primary one, or a child of the primary one. */
import '../platform/require-node.ts';
import cluster from 'node:cluster';
import { requireDatabase } from '../db/require-database.ts';
import { warningsOfProxies } from '../platform/address-lists.ts';
import { configOrExit, loadConfig } from '../platform/config.ts';
import { collectGarbage, keepHeapSmall } from '../platform/heap-growth.ts';
import { logCrashes } from '../platform/log-crashes.ts';
import { createLogger } from '../platform/logger.ts';
import { requireCredentials } from '../services/catalog/require-credentials.ts';
import { NUMBER_VARIABLE } from './cluster/child.ts';
import { runPrimary } from './cluster/run-primary.ts';
import { shareOf } from './process-share.ts';

/**
 * The time that a shutdown has after the grace period: for handlers of cut requests, and for a ledger that cannot write
 * its rows.
 */
const SHUTDOWN_MARGIN_MS = 20_000;

keepHeapSmall();
const config = configOrExit((env) => {
  const loaded = loadConfig(env);
  // Fails the start if too few connections are left for the processes.
  shareOf(loaded);
  requireCredentials(loaded.providers);
  return loaded;
}, process.env);
const logger = createLogger({ level: config.logLevel, name: 'api' });
logCrashes(logger);
const stopMs = config.http.drainDelayMs + config.http.shutdownGraceMs + SHUTDOWN_MARGIN_MS;
const warnings = [...config.warnings, ...warningsOfProxies(config)];
if (cluster.isPrimary) {
  for (const warning of warnings) logger.warn(warning);
  await requireDatabase(config.database.url);
}

if (cluster.isPrimary && config.http.processes > 1) {
  await runPrimary(config, logger, stopMs);
} else {
  // The primary process does not need these modules.
  const { serve } = await import('./serve.ts');
  await serve(config, logger, {
    stopMs,
    child: cluster.isWorker ? Number(process.env[NUMBER_VARIABLE]) : undefined,
  });
  collectGarbage();
}
