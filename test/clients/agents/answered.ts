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
      const { msg, status, method, path } = JSON.parse(line) as Record<string, unknown>;
      if (msg === 'request') requests.push(`${status} ${method} ${path}`);
    },
  };
  return { logger: createLogger({ level: 'info', name: 'test', destination }), requests };
}
