import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkKey } from '../../upstream/answer-request.ts';
import { applyFault } from '../../upstream/apply-fault.ts';
import { parseFaults } from '../../upstream/control.ts';
import type { FaultQueue } from '../../upstream/faults.ts';
import { deliver, type Outcome } from '../../upstream/outcome.ts';
import { errorReply, jsonReply, type Reply, UpstreamError } from '../../upstream/reply.ts';
import {
  createRequestLog,
  describeFields,
  type LoggedRequest,
  type RequestLog,
} from '../../upstream/request-log.ts';
import { createExchange, findRoute, type Route } from '../../upstream/route.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

export interface VendorServerOptions {
  routes: Route[];
  faults: FaultQueue;
  /** The scheme of the header `authorization`, such as `Bearer`. */
  scheme?: string;
  /** The header of the key, for vendors that do not read `authorization`. */
  keyHeader?: string;
  /** A refusal's body in the vendor's words, of a request to this path. */
  refusal(status: number, error: { message: string; code: string | null }, path: string): object;
}

/** The server of a stand-in for a vendor's cloud, with the local upstream's faults. */
export interface VendorServer extends LoopbackServer {
  log: RequestLog;
}

const LOGGED_REQUESTS = 10_000;

export async function startVendorServer(options: VendorServerOptions): Promise<VendorServer> {
  const log = createRequestLog(LOGGED_REQUESTS);
  const server = await startLoopbackServer((request, response) => {
    answer({ ...options, log }, request, response).catch(() => response.destroy());
  });
  return { ...server, log };
}

/** Returns the server and its faults, as the suites see a vendor. */
export function standInOf(
  { origin, log, close }: VendorServer,
  faults: FaultQueue,
): Pick<VendorStandIn, 'url' | 'upstream' | 'call'> {
  return {
    url: origin,
    upstream: {
      addFaults: (...added) => faults.add(parseFaults(added)),
      clearFaults: () => faults.clear(),
      requests: (target) => log.list({ target }),
      close,
    },
    call: (method, path) => fetch(origin + path, { method }),
  };
}

type Vendor = VendorServerOptions & { log: RequestLog };

async function answer(vendor: Vendor, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const url = new URL(request.url ?? '/', 'http://vendor');
  const found = findRoute(vendor.routes, request.method, url.pathname);
  const entry = vendor.log.begin(describe(request, found?.route, vendor.keyHeader));
  response.once('close', () => {
    if (!response.writableFinished) entry.brokenOff = true;
    gone.abort();
  });
  const outcome = await decide(vendor, { request, url, found, entry, gone: gone.signal }).catch(
    (error: unknown): Outcome => ({ kind: 'reply', reply: errorReply(error) }),
  );
  entry.outcome = outcome.kind === 'reply' ? outcome.reply.status : outcome.kind;
  await deliver(inVendorsWords(vendor, outcome, url.pathname), response);
}

interface Arrival {
  request: IncomingMessage;
  url: URL;
  found: ReturnType<typeof findRoute>;
  entry: LoggedRequest;
  gone: AbortSignal;
}

async function decide(vendor: Vendor, { request, url, found, entry, gone }: Arrival): Promise<Outcome> {
  if (found === undefined) throw new UpstreamError(404, 'The requested resource could not be found.');
  const { route, params } = found;
  if (route.keyless !== true) checkCredential(vendor, request);
  const exchange = createExchange(request, url, params);
  if (request.method === 'POST') entry.fields = describeFields(await exchange.fields());
  const own = await route.faults?.(exchange);
  const { target } = route;
  const fault = target && (own?.takeForRequest(target) ?? vendor.faults.takeForRequest(target));
  return applyFault(fault, async () => route.handle(exchange), gone);
}

function checkCredential({ scheme, keyHeader }: Vendor, { headers }: IncomingMessage): void {
  if (keyHeader !== undefined) return checkKey(`Bearer ${String(headers[keyHeader])}`, UPSTREAM_KEY);
  const [given, key] = (headers.authorization ?? '').split(' ');
  checkKey(given === scheme ? `Bearer ${key}` : undefined, UPSTREAM_KEY);
}

function inVendorsWords({ refusal }: Vendor, outcome: Outcome, path: string): Outcome {
  if (outcome.kind !== 'reply' || outcome.reply.status < 400) return outcome;
  const { status, headers, body } = outcome.reply;
  if (headers['content-type'] !== 'application/json') return outcome;
  const parsed = JSON.parse(Buffer.from(body as Uint8Array).toString('utf8')) as {
    error?: { message: string; code: string | null };
  };
  // A route that words its refusals itself has no `error`.
  if (parsed.error === undefined) return outcome;
  const words = jsonReply(status, refusal(status, parsed.error, path));
  const reply: Reply = { ...words, headers: { ...headers, ...words.headers } };
  return { kind: 'reply', reply };
}

function describe(
  request: IncomingMessage,
  route: Route | undefined,
  keyHeader = 'authorization',
): Omit<LoggedRequest, 'at'> {
  const requestId = request.headers['x-client-request-id'];
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    hasKey: request.headers[keyHeader] !== undefined,
    ...(route?.target === undefined ? {} : { target: route.target }),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  };
}
