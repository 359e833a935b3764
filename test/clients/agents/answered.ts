import { createLogger, type Logger } from '../../../platform/logger.ts';

/** The requests that a gateway answered, as its log has them: `200 POST /api/v1/messages`. */
export interface Answered {
  logger: Logger;
  requests: string[];
}

export function createAnswered(): Answered {
  const requests: string[] = [];
  const destination = {
    write(line: string): void {
      const entry = JSON.parse(line) as { msg: string; status: number; method: string; path: string };
      if (entry.msg === 'request') requests.push(`${entry.status} ${entry.method} ${entry.path}`);
    },
  };
  return { logger: createLogger({ level: 'info', name: 'test', destination }), requests };
}
