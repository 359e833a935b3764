import type { Logger } from './logger.ts';
import { StartProblem } from './start-problem.ts';

/**
 * Logs an uncaught error and ends the process with code 1. Node itself would print every field of the error. Those of
 * Postgres hold values of rows, which the logger removes.
 */
export function logCrashes(logger: Pick<Logger, 'fatal'>): void {
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', (error) => {
    if (error instanceof StartProblem) logger.fatal(error.message);
    else logger.fatal({ err: error }, 'the process ends: an error was not caught');
    process.exit(1);
  });
}
