import { pino } from 'pino';
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
 * JSON lines, written within a tenth of a second and before the process ends, warnings and errors at once. No
 * secret gets through: fields by their name at any depth, child bindings included, and whatever looks like a secret
 * in any text of the line. `err` is where an error goes.
 */
export function createLogger({ level, name, destination }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      name,
      timestamp: createIsoTime(),
      formatters: {
        level: (label) => ({ level: label }),
        log: redactFields,
      },
      // Errors are plain objects by then; pino's own serializer would flatten their causes.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: redactText },
    },
    destination ?? standardOutput(),
  );
  return withRedactedBindings(logger);
}

/** A write for each line of a busy server is a share of its time; nobody misses the news of a tenth of a second. */
const WRITE_EVERY_MS = 100;
/** A pipe keeps a write of this size whole, so the lines of several processes do not mix. */
const WRITE_BYTES = 4 * 1024;
const MAY_WAIT = /^\{"level":"(trace|debug|info)"/;

/** Lines in the order in which they were logged; warnings and errors at once, with all that came before. */
function standardOutput(): DestinationStream {
  const output = pino.destination({
    fd: 1,
    sync: true,
    minLength: WRITE_BYTES - 1,
    maxWrite: WRITE_BYTES,
    periodicFlush: WRITE_EVERY_MS,
  });
  // Also after an exception that nobody caught.
  process.once('exit', () => output.flushSync());
  return {
    write(line) {
      output.write(line);
      if (!MAY_WAIT.test(line)) output.flushSync();
    },
  };
}

/** Writes the time as pino's own `isoTime` does. Lines of the same millisecond share the text, which is slow to make. */
function createIsoTime(): () => string {
  let atMs = NaN;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) {
      atMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
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
