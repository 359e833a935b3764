import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { z } from 'zod';
import type { RequestTarget } from '../../upstream/faults.ts';
import { jsonReply, type Reply, UpstreamError } from '../../upstream/reply.ts';
import type { Exchange, Route } from '../../upstream/route.ts';
import { PNG_BYTES } from '../support/tiny-png.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { IMAGE_APPS, VIDEO_APPS } from './fal-wire.ts';
import { faultOf, type MadeJob, MP4, startVideoCloud, type VideoCloud } from './video-cloud.ts';

/** A request in fal's queue, in memory. */
export interface QueuedRequest extends MadeJob {
  app: string;
  /** Its address in the queue, which has the owner and the app only, as at fal. */
  url: string;
  input: Record<string, unknown>;
  webhook: string | undefined;
  startTimeout: string | undefined;
  /** How it was ended from outside. */
  ended?: 'made' | 'cancelled';
}

/** A stand-in for fal's cloud, on its documented wire over real HTTP, with the local upstream's faults. */
export interface FalUpstream extends VendorStandIn {
  /** Oldest first. */
  queued(): QueuedRequest[];
  /** Ends a request that stalls, and calls its webhook. */
  finish(id: string): Promise<Response | undefined>;
  /** The answers to the next requests for a result, for pictures or for the keys, in place of the usual ones. */
  answers: { result?: Reply | undefined; pictures?: Reply | undefined; keys?: Reply | undefined };
}

/** The units that a request bills if no fault says otherwise. */
const USUAL_UNITS = '4.0';
export const KEYS_PATH = '/.well-known/jwks.json';
const PICTURE = { status: 200, headers: { 'content-type': 'image/png' }, body: PNG_BYTES };
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
type Queue = VideoCloud<QueuedRequest>;

export async function startFalUpstream(): Promise<FalUpstream> {
  const answers: FalUpstream['answers'] = {};
  const queue = await startVideoCloud<QueuedRequest>({
    basePath: '',
    scheme: 'Key',
    missing: () => new UpstreamError(404, 'Request not found'),
    refusal: (_status, { message, code }) => ({ detail: message, ...(code && { error_type: code }) }),
    routes: (cloud) => [
      ...appRoutes(cloud, VIDEO_APPS, 'create', submit),
      ...appRoutes(cloud, IMAGE_APPS, 'images', (_, input) => answers.pictures ?? pictures(cloud, input)),
      ...queueRoutes(cloud, answers),
      ...cloud.fileRoutes('/files/:id/out.mp4'),
      { method: 'GET', path: '/files/x/out.png', keyless: true, handle: () => PICTURE },
      { method: 'GET', path: KEYS_PATH, keyless: true, handle: () => answers.keys ?? falKeys() },
    ],
  });
  return {
    ...queue.standIn,
    answers,
    queued: () => [...queue.jobs.values()],
    async finish(id) {
      const request = queue.jobs.get(id)!;
      request.ended = 'made';
      if (request.webhook === undefined) return undefined;
      const body = JSON.stringify({ request_id: id, gateway_request_id: id, status: 'OK', payload: {} });
      return fetch(request.webhook, { method: 'POST', headers: signedByFal(id, body), body });
    },
  };
}

/** Returns the headers of a callback. */
export function signedByFal(
  id: string,
  body: string,
  { key = privateKey, at = Date.now() } = {},
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const digest = createHash('sha256').update(body).digest('hex');
  const text = Buffer.from([id, 'user-1', timestamp, digest].join('\n'));
  return {
    'content-type': 'application/json',
    'x-fal-webhook-request-id': id,
    'x-fal-webhook-user-id': 'user-1',
    'x-fal-webhook-timestamp': timestamp,
    'x-fal-webhook-signature': sign(null, text, key).toString('hex'),
  };
}

/** Returns the keys as fal publishes them, with one of another kind. */
export function falKeys(): Reply {
  const { kty, crv, x } = publicKey.export({ format: 'jwk' });
  const other = { kty: 'RSA', n: 'AA', e: 'AQAB' };
  return jsonReply(200, { keys: [other, { kty, crv, x, use: 'sig' }] });
}

type Apps = typeof VIDEO_APPS;
type Input = Record<string, unknown>;
type Answer = (queue: Queue, input: Input, app: string, exchange: Exchange) => Reply | Promise<Reply>;

/** Returns the routes of apps, each of which refuses an input that it does not document. */
function appRoutes(queue: Queue, apps: Apps, target: RequestTarget, answer: Answer): Route[] {
  return Object.entries(apps).map(([app, shape]) => ({
    method: 'POST',
    path: `/${app}`,
    target,
    faults: async (exchange) => queue.faultsIn((await exchange.fields()).values['faults']),
    async handle(exchange) {
      const { faults: _, ...input } = (await exchange.fields()).values;
      const { error } = z.strictObject(shape).safeParse(input);
      return error === undefined ? answer(queue, input, app, exchange) : invalid(error);
    },
  }));
}

/** fal's answer to an invalid input. */
function invalid(error: z.ZodError): Reply {
  const detail = error.issues.map(({ path, message, code }) => ({
    loc: ['body', ...path],
    msg: message,
    type: code,
    url: `https://docs.fal.ai/errors/#${code}`,
  }));
  return jsonReply(422, { detail });
}

async function submit(queue: Queue, input: Input, app: string, exchange: Exchange): Promise<Reply> {
  const { query, headers } = exchange;
  const extra = [...query.keys()].filter((name) => name !== 'fal_webhook');
  if (extra.length > 0) throw new UpstreamError(400, `unknown query ${extra.join()}`);
  const startTimeout = headers['x-fal-request-timeout'] as string | undefined;
  if (startTimeout !== undefined && !/^\d+$/.test(startTimeout)) throw new UpstreamError(400, 'bad timeout');
  const faults = queue.faultsIn((await exchange.fields()).values['faults']);
  const webhook = query.get('fal_webhook') ?? undefined;
  const id = randomUUID();
  const url = `${queue.url()}/${app.split('/').slice(0, 2).join('/')}/requests/${id}`;
  queue.add(faults, { id, app, url, input, webhook, startTimeout });
  const urls = { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
  const facts = { request_id: id, gateway_request_id: id, queue_position: 0, logs: null, metrics: {} };
  return jsonReply(200, { status: 'IN_QUEUE', ...urls, ...facts });
}

function pictures({ url }: Queue, input: Input): Reply {
  const count = Number(input['num_images'] ?? 1);
  const image = { url: `${url()}/files/x/out.png`, content_type: 'image/png', width: 1, height: 1 };
  const images = Array.from({ length: count }, () => image);
  const headers = { 'x-fal-billable-units': `${count}.0`, 'x-fal-request-id': randomUUID() };
  return jsonReply(200, { images, seed: 7, timings: {} }, headers);
}

function queueRoutes(queue: Queue, answers: FalUpstream['answers']): Route[] {
  const check = (exchange: Exchange) => status(queue, queue.find(exchange));
  const read = (exchange: Exchange) => result(queue, queue.find(exchange), answers.result);
  const stop = (exchange: Exchange) => cancel(queue.find(exchange));
  const item = '/:owner/:app/requests/:id';
  const faults = queue.faultsOf;
  return [
    { method: 'GET', path: `${item}/status`, target: 'retrieve', faults, handle: check },
    { method: 'GET', path: item, faults, handle: read },
    { method: 'PUT', path: `${item}/cancel`, target: 'delete', faults, handle: stop },
  ];
}

function isOver(request: QueuedRequest): boolean {
  return request.ended !== undefined || faultOf(request, 'stall') === undefined;
}

function status(queue: Queue, request: QueuedRequest): Reply {
  queue.retrieve(request);
  const common = { request_id: request.id, response_url: request.url, logs: null };
  return isOver(request)
    ? jsonReply(200, { ...common, status: 'COMPLETED', metrics: { inference_time: 1.5 } })
    : jsonReply(202, { ...common, status: 'IN_PROGRESS' });
}

function result(queue: Queue, request: QueuedRequest, answer: Reply | undefined): Reply {
  if (!isOver(request)) throw new UpstreamError(400, 'Request is still in progress');
  const failure = faultOf(request, 'fail');
  if (failure !== undefined) return failed(422, failure.message, failure.code);
  if (request.ended === 'cancelled' || faultOf(request, 'cancel'))
    return failed(499, 'Request cancelled', 'client_cancelled');
  if (faultOf(request, 'expire')) return failed(504, 'Request timed out', 'request_timeout');
  const url = `${queue.url()}/files/${request.id}/out.mp4`;
  const video = { url, content_type: 'video/mp4', file_name: 'out.mp4', file_size: MP4.length };
  const made = answer ?? jsonReply(200, { video });
  const { amount: units } = faultOf(request, 'charge') ?? { amount: USUAL_UNITS };
  const charge: Record<string, string> = units === null ? {} : { 'x-fal-billable-units': `${units}` };
  return { ...made, headers: { ...made.headers, ...charge } };
}

function failed(code: number, detail: string, type: string): Reply {
  return jsonReply(code, { detail, error_type: type }, { 'x-fal-error-type': type });
}

function cancel(request: QueuedRequest): Reply {
  if (isOver(request) && request.ended !== 'cancelled')
    return jsonReply(400, { status: 'ALREADY_COMPLETED' });
  request.ended = 'cancelled';
  return jsonReply(202, { status: 'CANCELLATION_REQUESTED' });
}
