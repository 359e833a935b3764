import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { checkKey } from '../../upstream/answer-request.ts';
import { parseFaults } from '../../upstream/control.ts';
import { createFaultQueue, type FaultQueue } from '../../upstream/faults.ts';
import { applyFault } from '../../upstream/apply-fault.ts';
import { deliver, type Outcome } from '../../upstream/outcome.ts';
import { errorReply, jsonReply, type Reply, UpstreamError } from '../../upstream/reply.ts';
import {
  createRequestLog,
  describeFields,
  type LoggedRequest,
  type RequestLog,
} from '../../upstream/request-log.ts';
import { createExchange, findRoute, type Route } from '../../upstream/route.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { type Prediction, type PredictionStatus, presentPrediction } from './replicate-prediction.ts';
import { createPredictionRoutes } from './replicate-wire.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

export const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of the test vendor').toString('base64')}`;

/** A stand-in for Replicate's cloud, on its documented wire over real HTTP, with the local upstream's faults. */
export interface ReplicateUpstream extends VendorStandIn {
  /** Oldest first. */
  predictions(): Prediction[];
  /** Ends a prediction that stalls, and tells it as the vendor would. Undefined: nobody wanted to be told. */
  finish(id: string, status?: PredictionStatus): Promise<Response | undefined>;
  /** Sends the callback of a prediction as it is now, signed unless told otherwise. */
  sendCallback(id: string, options?: { to?: string; secret?: string }): Promise<Response>;
}

const LOGGED_REQUESTS = 10_000;

export async function startReplicateUpstream(): Promise<ReplicateUpstream> {
  const faults = createFaultQueue();
  const log = createRequestLog(LOGGED_REQUESTS);
  const predictions = new Map<string, Prediction>();
  const routes: Route[] = [
    { method: 'GET', path: '/healthz', keyless: true, handle: () => jsonReply(200, {}) },
    ...createPredictionRoutes({ predictions, faults, url: () => server.origin }),
  ];
  const server = await startLoopbackServer((request, response) => {
    answer({ routes, faults, log }, request, response).catch(() => response.destroy());
  });

  function predictionOf(id: string): Prediction {
    const prediction = predictions.get(id);
    if (prediction === undefined) throw new Error(`no prediction ${id}`);
    return prediction;
  }

  const sendCallback: ReplicateUpstream['sendCallback'] = async (id, options = {}) => {
    const prediction = predictionOf(id);
    const { to = prediction.webhook, secret = WEBHOOK_SECRET } = options;
    if (to === undefined) throw new Error('nobody wanted to be told');
    const body = JSON.stringify(presentPrediction(prediction, server.origin));
    return fetch(to, { method: 'POST', headers: signed(secret, id, body), body });
  };

  return {
    url: server.origin,
    baseUrl: `${server.origin}/v1`,
    upstream: {
      addFaults: (...added) => faults.add(parseFaults(added)),
      clearFaults: () => faults.clear(),
      requests: (target) => log.list({ target }),
      close: () => server.close(),
    },
    call: (method, path) => fetch(server.origin + path, { method }),
    predictions: () => [...predictions.values()],
    sendCallback,
    async finish(id, status = 'succeeded') {
      const prediction = predictionOf(id);
      prediction.ended = { status, atMs: Date.now() };
      const wanted = prediction.webhook !== undefined && prediction.webhookEvents.includes('completed');
      return wanted ? sendCallback(id) : undefined;
    },
  };
}

interface Vendor {
  routes: Route[];
  faults: FaultQueue;
  log: RequestLog;
}

async function answer(vendor: Vendor, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const url = new URL(request.url ?? '/', 'http://replicate');
  const found = findRoute(vendor.routes, request.method, url.pathname);
  const entry = vendor.log.begin(describe(request, found?.route));
  const outcome = await decide(vendor, { request, url, found, entry, gone: gone.signal }).catch(
    (error: unknown): Outcome => ({ kind: 'reply', reply: errorReply(error) }),
  );
  entry.outcome = outcome.kind === 'reply' ? outcome.reply.status : outcome.kind;
  await deliver(inVendorsWords(outcome), response);
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
  if (route.keyless !== true) checkKey(request.headers.authorization, UPSTREAM_KEY);
  const exchange = createExchange(request, url, params);
  if (request.method === 'POST') entry.fields = describeFields(await exchange.fields());
  const own = await route.faults?.(exchange);
  const { target } = route;
  const fault = target && (own?.takeForRequest(target) ?? vendor.faults.takeForRequest(target));
  return applyFault(fault, async () => route.handle(exchange), gone);
}

/** The headers of a callback, made by the reference implementation. */
export function signed(secret: string, id: string, body: string, at = new Date()): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(`msg_${id}`, at, body),
  };
}

/** Refusals as Replicate words them: `{ title, detail, status }`. */
function inVendorsWords(outcome: Outcome): Outcome {
  if (outcome.kind !== 'reply' || outcome.reply.status < 400) return outcome;
  const { status, headers, body } = outcome.reply;
  const { error } = JSON.parse(Buffer.from(body as Uint8Array).toString('utf8')) as {
    error: { message: string };
  };
  const words = jsonReply(status, { title: 'Refused', detail: error.message, status });
  const reply: Reply = { ...words, headers: { ...headers, ...words.headers } };
  return { kind: 'reply', reply };
}

function describe(request: IncomingMessage, route: Route | undefined): Omit<LoggedRequest, 'at'> {
  const requestId = request.headers['x-client-request-id'];
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    hasKey: request.headers.authorization !== undefined,
    ...(route?.target === undefined ? {} : { target: route.target }),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  };
}
