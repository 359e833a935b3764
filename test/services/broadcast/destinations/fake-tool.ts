import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Batch, SendDeps } from '../../../../services/broadcast/destinations/destination-adapter.ts';
import { guardWith, serve } from '../../../platform/outbound-setup.ts';
import { makeSpan, START_MS } from './make-span.ts';
import { smallEncoder } from './small-encoder.ts';

export interface ToolRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Uncompressed. */
  body: Buffer;
}

export interface ToolAnswer {
  status: number;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

export type Respond = (request: ToolRequest) => ToolAnswer | 'silence' | 'reset';

export interface FakeTool {
  origin: string;
  received: ToolRequest[];
  connections(): number;
}

/** Runs a server that goes away after the test. What `respond` throws is answered with 400 and the error's text. */
export async function startTool(respond: Respond): Promise<FakeTool> {
  const received: ToolRequest[] = [];
  const server = await serve(async (incoming, response) => {
    const sent = await buffer(incoming);
    const url = new URL(incoming.url ?? '', 'http://tool');
    const request: ToolRequest = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent,
    };
    received.push(request);
    const answer = answerTo(respond, request);
    if (answer === 'silence') return;
    if (answer === 'reset') return void incoming.socket.resetAndDestroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return { origin: server.origin, received, connections: server.connections };
}

function answerTo(respond: Respond, request: ToolRequest): ReturnType<Respond> {
  try {
    return respond(request);
  } catch (error) {
    return { status: 400, body: String(error) };
  }
}

/** A guard that takes the tool for the vendor's fixed host, and really sends. */
export function doorTo(tool: FakeTool, vendorsOrigin?: string): SendDeps['guard'] {
  const guard = guardWith();
  return {
    fetch(url, request) {
      const isVendors = vendorsOrigin !== undefined && new URL(url).origin === vendorsOrigin;
      return guard.fetch(isVendors ? tool.origin + url.slice(vendorsOrigin.length) : url, request);
    },
  };
}

export function depsWith(guard: SendDeps['guard'], over: Partial<SendDeps> = {}): SendDeps {
  return {
    guard,
    encoder: smallEncoder,
    webhookSecrets: [],
    timeoutMs: 10_000,
    now: () => START_MS + 60_000,
    ...over,
  };
}

export function batchOf(...spans: Batch['spans']): Batch {
  return { spans: spans.length === 0 ? [makeSpan()] : spans, id: 'batch-1', destinationId: 'destination-1' };
}

/** A signal that nobody aborts. */
export const NEVER = new AbortController().signal;
