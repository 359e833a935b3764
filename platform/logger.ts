import { pino, stdTimeFunctions } from 'pino';
import type { Bindings, ChildLoggerOptions, DestinationStream, Logger as PinoLogger } from 'pino';
import type { LogLevel } from './log-level.ts';
import { redact, redactText } from './redact.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  level: LogLevel;
  /** The process or part that speaks: `api`, `worker`. */
  name: string;
  /** Standard output when absent. */
  destination?: DestinationStream;
}

/**
 * JSON lines, written at once. No secret gets through: fields by their name at any depth, child bindings
 * included, and whatever looks like a secret in any text of the line. `err` is where an error goes.
 */
export function createLogger({ level, name, destination }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      name,
      timestamp: stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: redactFields,
      },
      // Errors are plain objects by then; pino's own serializer would flatten their causes.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: redactText },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
  return withRedactedBindings(logger);
}

/** pino's formatters do not see what a child is bound to. Children inherit this method, and so do theirs. */
function withRedactedBindings(logger: Logger): Logger {
  const { child } = logger;
  return Object.assign(logger, {
    child(this: Logger, bindings: Bindings, options?: ChildLoggerOptions) {
      return Reflect.apply(child, this, [redactFields(bindings), options]) as Logger;
    },
  });
}

function redactFields(fields: object): Record<string, unknown> {
  return redact(fields) as Record<string, unknown>;
}
