import type { Logger } from './logger.ts';

/**
 * Logs an error that nothing caught and ends the process with code 1. Node itself would print every field of the
 * error, and those of Postgres hold values of rows; the logger leaves them out.
 */
export function logCrashes(logger: Pick<Logger, 'fatal'>): void {
  // Rejections that nothing handles arrive here too.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'the process ends: an error was not caught');
    process.exit(1);
  });
}
