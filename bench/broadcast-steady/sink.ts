/**
 * Runs a tool that accepts every batch of OTLP as JSON. It records when each generation first arrived, and the time
 * since its settlement. It parses the batches only when the parent requests the results, so parsing uses no processor
 * time during the measurement.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** The generations that arrived on one path since the process began. */
export interface Arrivals {
  /** The milliseconds from settlement to arrival of each generation; empty in the mode `counting`. */
  lagsMs: number[];
  requests: number;
  /** The number of spans; counted only in the mode `counting`. */
  spans: number;
}

const isCounting = process.argv[2] === 'counting';
const counted = new Map<string, number>();

interface Span {
  spanId: string;
  endTimeUnixNano: string;
}

interface Batch {
  path: string;
  isCompressed: boolean;
  sent: Buffer;
  atMs: number;
}

const unread: Batch[] = [];
const byPath = new Map<string, { lags: Map<string, number>; requests: number }>();

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { url: path = '/', headers } = request;
    const isCompressed = headers['content-encoding'] === 'gzip';
    if (isCounting) count(path, Buffer.concat(pieces));
    else unread.push({ path, isCompressed, sent: Buffer.concat(pieces), atMs: Date.now() });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

/** Each message from the parent is a path. The reply is that path's arrivals. */
process.on('message', (path: string) => {
  for (const batch of unread.splice(0)) read(batch);
  const { lags, requests } = byPath.get(path) ?? { lags: new Map<string, number>(), requests: 0 };
  process.send?.({ lagsMs: [...lags.values()], requests, spans: counted.get(path) ?? 0 } satisfies Arrivals);
});
process.on('disconnect', () => process.exit());

const SPAN = Buffer.from('"spanId"');

function count(path: string, body: Buffer): void {
  let spans = 0;
  for (let at = body.indexOf(SPAN); at !== -1; at = body.indexOf(SPAN, at + SPAN.length)) spans += 1;
  counted.set(path, (counted.get(path) ?? 0) + spans);
}

function read({ path, isCompressed, sent, atMs }: Batch): void {
  const body = isCompressed ? gunzipSync(sent) : sent;
  const { resourceSpans } = JSON.parse(body.toString('utf8')) as {
    resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
  };
  const arrived = byPath.get(path) ?? { lags: new Map<string, number>(), requests: 0 };
  byPath.set(path, arrived);
  arrived.requests += 1;
  for (const { scopeSpans } of resourceSpans) {
    for (const { spanId, endTimeUnixNano } of scopeSpans.flatMap(({ spans }) => spans)) {
      if (arrived.lags.has(spanId)) continue;
      arrived.lags.set(spanId, atMs - Number(BigInt(endTimeUnixNano) / 1_000_000n));
    }
  }
}
