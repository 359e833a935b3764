/** Creates the logger of a process, which writes JSON lines without secrets. */
import { pino } from 'pino';
import type { Bindings, ChildLoggerOptions, DestinationStream, Logger as PinoLogger } from 'pino';
import type { LogLevel } from './server-variables.ts';
import { redact, redactText } from './redact.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  level: LogLevel;
  /** The process or part that logs: `api`, `worker`. */
  name: string;
  /** Standard output when absent. */
  destination?: DestinationStream;
}

/**
 * Creates a logger of JSON lines. Lines are written within a tenth of a second and before the process ends; warnings
 * and errors at once. Secrets are removed: fields by their name at any depth, including child bindings, and any text
 * that looks like a secret. Log errors as `err`.
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
      // Errors are plain objects here; pino's own serializer would flatten their causes.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: redactText },
    },
    destination ?? standardOutput(),
  );
  return withRedactedBindings(logger);
}

/** The longest delay of a line. A write for each line takes a noticeable share of a busy server's time. */
const WRITE_EVERY_MS = 100;
/** The size of one write. A pipe keeps writes of this size whole, so lines of several processes do not mix. */
const WRITE_BYTES = 4 * 1024;
const BUFFERED_LINE = /^\{"level":"(trace|debug|info)"/;

/**
 * Writes lines in the order in which they were logged. A warning or error is written at once, with all lines before it.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({
    fd: 1,
    sync: true,
    minLength: WRITE_BYTES - 1,
    maxWrite: WRITE_BYTES,
    periodicFlush: WRITE_EVERY_MS,
  });
  // Runs also after an uncaught exception.
  process.once('exit', () => output.flushSync());
  return {
    write(line) {
      output.write(line);
      // `flushSync` would also wait for the disk if the output is a file.
      if (!BUFFERED_LINE.test(line)) output.flush();
    },
  };
}

/**
 * Writes the time in the format of pino's `isoTime`. Lines of the same millisecond share the text, which is slow to
 * make.
 */
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

/** Redacts the bindings of child loggers, which pino's formatters do not see. Children inherit this method. */
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
