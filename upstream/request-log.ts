/** Logs the requests that the local upstream received, so that tests can inspect them. */
import type { Fields } from './request-body.ts';

/** One received request, for tests that count or inspect what reached the upstream. */
export interface LoggedRequest {
  at: string;
  method: string;
  /** The path with its query. */
  path: string;
  /** The route's fault target, absent for unknown paths. */
  target?: string | undefined;
  /** True: the request had a credential. */
  hasKey: boolean;
  requestId?: string | undefined;
  idempotencyKey?: string | undefined;
  /** Form and JSON fields; name, type and size of an upload. */
  fields?: Record<string, unknown> | undefined;
  /** True: one side closed the connection before the answer was complete. */
  brokenOff?: true | undefined;
  /** The status, or the fault instead of an answer. Absent while the request is running. */
  outcome?: number | 'cut' | 'silence' | undefined;
}

export interface RequestLog {
  begin(request: Omit<LoggedRequest, 'at'>): LoggedRequest;
  /** Returns the requests, oldest first. */
  list(filter?: { target?: string | undefined }): LoggedRequest[];
  clear(): void;
}

/** Creates a log that keeps the latest requests only. */
export function createRequestLog(capacity: number): RequestLog {
  let entries: LoggedRequest[] = [];
  return {
    begin(request) {
      const entry: LoggedRequest = { at: new Date().toISOString(), ...request };
      if (entries.push(entry) > 2 * capacity) entries = entries.slice(-capacity);
      return entry;
    },
    list({ target } = {}) {
      return entries.slice(-capacity).filter((entry) => target === undefined || entry.target === target);
    },
    clear() {
      entries = [];
    },
  };
}

/** Describes fields for the log. Long values, such as inline images, are cut, since the log is kept in memory. */
export function describeFields({ values, files }: Fields): Record<string, unknown> {
  const described: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    described[name] = shorten(value);
  }
  for (const [name, file] of Object.entries(files)) {
    described[name] = { name: file.name, contentType: file.contentType, bytes: file.bytes.length };
  }
  return described;
}

/** The deepest nesting that is logged. No regular request with media is deeper. */
const MAX_DEPTH = 6;

function shorten(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.slice(0, 1000);
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => shorten(item, depth + 1));
  const fields = Object.entries(value).map(([name, field]) => [name, shorten(field, depth + 1)]);
  return Object.fromEntries(fields) as unknown;
}
