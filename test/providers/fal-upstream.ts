import { type KeyObject, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { FaultQueue } from '../../upstream/faults.ts';
import { jsonReply, type Reply, UpstreamError } from '../../upstream/reply.ts';
import type { Exchange, Route } from '../../upstream/route.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { falKeys, signedByFal } from './fal-signature.ts';
import { IMAGE_APPS, VIDEO_APPS } from './fal-wire.ts';
import { faultOf, type MadeJob, MP4, mp4Reply, startVideoCloud, type VideoCloud } from './video-cloud.ts';

/** A request in fal's queue, in memory. */
export interface QueuedRequest extends MadeJob {
  app: string;
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
  sendCallback(id: string, options?: { to?: string; key?: KeyObject }): Promise<Response>;
  /** The answer to the next requests for a result, in place of a video. */
  answerResults(answer: Reply | undefined): void;
  /** The answer to the next requests for pictures. */
  answerPictures(answer: Reply | undefined): void;
}

/** The units that a request bills if no fault says otherwise. */
const USUAL_UNITS = '4.0';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
type Queue = VideoCloud<QueuedRequest>;

export async function startFalUpstream(): Promise<FalUpstream> {
  let [resultAnswer, pictureAnswer]: (Reply | undefined)[] = [];
  const queue = await startVideoCloud<QueuedRequest>({
    basePath: '',
    scheme: 'Key',
    missing: () => new UpstreamError(404, 'Request not found'),
    refusal: (_status, { message, code }) => ({ detail: message, ...(code && { error_type: code }) }),
    routes: (cloud) => [
      ...queueRoutes(cloud, () => resultAnswer),
      ...imageRoutes(cloud, () => pictureAnswer),
      ...fileRoutes(cloud),
    ],
  });
  const sendCallback: FalUpstream['sendCallback'] = async (id, { to, key } = {}) => {
    const body = JSON.stringify({ request_id: id, gateway_request_id: id, status: 'OK', payload: {} });
    const address = to ?? queue.jobs.get(id)?.webhook;
    if (address === undefined) throw new Error('no webhook was asked for');
    return fetch(address, { method: 'POST', headers: signedByFal(id, body, { key }), body });
  };
  return {
    ...queue.standIn,
    queued: () => [...queue.jobs.values()],
    sendCallback,
    answerResults: (answer) => (resultAnswer = answer),
    answerPictures: (answer) => (pictureAnswer = answer),
    async finish(id) {
      const request = queue.jobs.get(id);
      if (request === undefined) throw new Error(`no request ${id}`);
      request.ended = 'made';
      return request.webhook === undefined ? undefined : sendCallback(id);
    },
  };
}

function queueRoutes(queue: Queue, made: () => Reply | undefined): Route[] {
  const ofInput = async (exchange: Exchange) => queue.faultsIn((await exchange.fields()).values['faults']);
  const submits = Object.keys(VIDEO_APPS).map((app): Route => {
    const handle = async (exchange: Exchange) => submit(queue, app, exchange, await ofInput(exchange));
    return { method: 'POST', path: `/${app}`, target: 'create', faults: ofInput, handle };
  });
  // As at fal, these paths have the owner and the app only.
  const item = '/:owner/:app/requests/:id';
  const faults = queue.faultsOf;
  const ofJob = (answer: (request: QueuedRequest) => Reply) => (exchange: Exchange) =>
    answer(queue.find(exchange));
  return [
    ...submits,
    {
      method: 'GET',
      path: `${item}/status`,
      target: 'retrieve',
      faults,
      handle: ofJob((request) => status(queue, request)),
    },
    { method: 'GET', path: item, faults, handle: ofJob((request) => result(queue, request, made())) },
    { method: 'PUT', path: `${item}/cancel`, target: 'delete', faults, handle: ofJob(cancel) },
  ];
}

async function submit(queue: Queue, app: string, exchange: Exchange, faults: FaultQueue): Promise<Reply> {
  const { faults: _, ...input } = (await exchange.fields()).values;
  const parsed = z.strictObject(VIDEO_APPS[app]!).safeParse(input);
  if (!parsed.success) return invalid(parsed.error);
  const { query, headers } = exchange;
  const extra = [...query.keys()].filter((name) => name !== 'fal_webhook');
  if (extra.length > 0) throw new UpstreamError(400, `unknown query ${extra.join()}`);
  const startTimeout = headers['x-fal-request-timeout'] as string | undefined;
  if (startTimeout !== undefined && !/^\d+$/.test(startTimeout)) throw new UpstreamError(400, 'bad timeout');
  const webhook = query.get('fal_webhook') ?? undefined;
  const request = queue.add(faults, { id: randomUUID(), app, input, webhook, startTimeout });
  const url = urlOf(queue, request);
  return jsonReply(200, {
    status: 'IN_QUEUE',
    request_id: request.id,
    gateway_request_id: request.id,
    response_url: url,
    status_url: `${url}/status`,
    cancel_url: `${url}/cancel`,
    queue_position: 0,
    logs: null,
    metrics: {},
  });
}

function urlOf(queue: Queue, { app, id }: QueuedRequest): string {
  return `${queue.url()}/${app.split('/').slice(0, 2).join('/')}/requests/${id}`;
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

function isOver(request: QueuedRequest): boolean {
  return request.ended !== undefined || faultOf(request, 'stall') === undefined;
}

function status(queue: Queue, request: QueuedRequest): Reply {
  queue.retrieve(request);
  const url = urlOf(queue, request);
  const common = { request_id: request.id, response_url: url, logs: null };
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
  const charge = faultOf(request, 'charge');
  const units = charge === undefined ? USUAL_UNITS : charge.amount;
  const made = answer ?? jsonReply(200, { video: file(`${queue.url()}/files/${request.id}/out.mp4`) });
  return units === null
    ? made
    : { ...made, headers: { ...made.headers, 'x-fal-billable-units': String(units) } };
}

function failed(code: number, detail: string, type: string): Reply {
  return jsonReply(code, { detail, error_type: type }, { 'x-fal-error-type': type });
}

function file(url: string): object {
  return { url, content_type: 'video/mp4', file_name: 'out.mp4', file_size: MP4.length };
}

function cancel(request: QueuedRequest): Reply {
  if (isOver(request) && request.ended !== 'cancelled')
    return jsonReply(400, { status: 'ALREADY_COMPLETED' });
  request.ended = 'cancelled';
  return jsonReply(202, { status: 'CANCELLATION_REQUESTED' });
}

function imageRoutes({ url }: Queue, answer: () => Reply | undefined): Route[] {
  return Object.entries(IMAGE_APPS).map(([app, shape]) => ({
    method: 'POST',
    path: `/${app}`,
    target: 'images',
    async handle(exchange) {
      const parsed = z.strictObject(shape).safeParse((await exchange.fields()).values);
      if (!parsed.success) return invalid(parsed.error);
      const count = Number(parsed.data['num_images'] ?? 1);
      const image = { url: `${url()}/files/x/out.png`, content_type: 'image/png', width: 1, height: 1 };
      const images = Array.from({ length: count }, () => image);
      const headers = { 'x-fal-billable-units': `${count}.0`, 'x-fal-request-id': randomUUID() };
      return answer() ?? jsonReply(200, { images, seed: 7, timings: {} }, headers);
    },
  }));
}

function fileRoutes({ faultsOf }: Queue): Route[] {
  const picture = { status: 200, headers: { 'content-type': 'image/png' }, body: PNG };
  return [
    { method: 'GET', path: '/.well-known/jwks.json', keyless: true, handle: falKeys },
    {
      method: 'GET',
      path: '/files/:id/out.mp4',
      target: 'content',
      keyless: true,
      faults: faultsOf,
      handle: ({ params }) => ({ ...mp4Reply(), keylessPath: `/links/${params['id']}` }),
    },
    { method: 'GET', path: '/links/:id', keyless: true, handle: mp4Reply },
    { method: 'GET', path: '/files/x/out.png', keyless: true, handle: () => picture },
  ];
}
