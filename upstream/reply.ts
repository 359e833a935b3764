/** Builds and sends the responses of the local upstream, errors included. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A route's answer before it is sent, so that a fault can change it. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array | Readable;
  /** The pieces of a streamed body, events or parts of a file, so that a fault can occur between two of them. */
  events?: readonly (string | Uint8Array)[];
  /** A path at which the same file is available without a key. */
  keylessPath?: string;
}

export function jsonReply(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Returns an answer of events, with further headers. */
export function eventsReply(events: readonly string[], headers: Record<string, string>): Reply {
  return streamedReply(events, { ...EVENT_STREAM, ...headers });
}

/** Returns an answer in pieces: events, if no other headers are given. */
export function streamedReply(
  events: readonly (string | Uint8Array)[],
  headers: Record<string, string> = EVENT_STREAM,
): Reply {
  return { status: 200, headers, body: Readable.from(events, { objectMode: false }), events };
}

/** An error in OpenAI's error envelope. */
export class UpstreamError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    message: string,
    facts: { code?: string | undefined; param?: string; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'UpstreamError';
    this.status = status;
    this.code = facts.code ?? null;
    this.param = facts.param ?? null;
    this.headers = facts.headers ?? {};
  }
}

/** Returns the reply for an error. Errors other than UpstreamError are bugs of this server and show no details. */
export function errorReply(error: unknown): Reply {
  const known =
    error instanceof UpstreamError
      ? error
      : new UpstreamError(500, 'The server had an error.', { code: 'internal' });
  const { message, param, code } = known;
  return jsonReply(
    known.status,
    { error: { message, type: errorType(known.status), param, code } },
    known.headers,
  );
}

function errorType(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** Sends a reply. Rejects when the connection ends before a streamed reply does. */
export async function sendReply(reply: Reply, response: ServerResponse): Promise<void> {
  const length = reply.body instanceof Readable ? {} : { 'content-length': `${reply.body.byteLength}` };
  response.writeHead(reply.status, { ...length, ...reply.headers });
  if (!(reply.body instanceof Readable)) {
    response.end(reply.body);
    return;
  }
  // Sends the headers before the first piece.
  response.flushHeaders();
  await pipeline(reply.body, response);
}
