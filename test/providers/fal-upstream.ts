import { type KeyObject, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { parseFaults } from '../../upstream/control.ts';
import { createFaultQueue, type FaultQueue, type JobFault } from '../../upstream/faults.ts';
import { jsonReply, type Reply, UpstreamError } from '../../upstream/reply.ts';
import type { Exchange, Route } from '../../upstream/route.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { falKeys, signedByFal } from './fal-signature.ts';
import { IMAGE_APPS, VIDEO_APPS } from './fal-wire.ts';
import { startVendorServer } from './vendor-server.ts';

/** A request in fal's queue, in memory. */
export interface QueuedRequest {
  id: string;
  app: string;
  input: Record<string, unknown>;
  webhook: string | undefined;
  startTimeout: string | undefined;
  faults: FaultQueue;
  script: JobFault[];
  retrieves: number;
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
/** The head of an MP4 file and some bytes more: the gateway looks at no more than that. */
const MP4 = Buffer.concat([
  Buffer.from('000000186674797069736f6d0000020069736f6d6d703432', 'hex'),
  Buffer.alloc(4096),
]);

export async function startFalUpstream(): Promise<FalUpstream> {
  const faults = createFaultQueue();
  const requests = new Map<string, QueuedRequest>();
  let [resultAnswer, pictureAnswer]: (Reply | undefined)[] = [];
  const find = ({ params }: Exchange): QueuedRequest => {
    const request = requests.get(params['id'] ?? '');
    if (request === undefined) throw new UpstreamError(404, 'Request not found');
    return request;
  };
  const server = await startVendorServer({
    faults,
    scheme: 'Key',
    refusal: (_status, { message, code }) => ({ detail: message, ...(code && { error_type: code }) }),
    routes: [
      ...queueRoutes({ requests, faults, find, url: () => server.origin, result: () => resultAnswer }),
      ...imageRoutes({ url: () => server.origin, answer: () => pictureAnswer }),
      ...fileRoutes(requests),
    ],
  });

  const sendCallback: FalUpstream['sendCallback'] = async (id, { to, key } = {}) => {
    const body = JSON.stringify({ request_id: id, gateway_request_id: id, status: 'OK', payload: {} });
    const address = to ?? requests.get(id)?.webhook;
    if (address === undefined) throw new Error('no webhook was asked for');
    return fetch(address, { method: 'POST', headers: signedByFal(id, body, { key }), body });
  };
  return {
    url: server.origin,
    baseUrl: server.origin,
    upstream: {
      addFaults: (...added) => faults.add(parseFaults(added)),
      clearFaults: () => faults.clear(),
      requests: (target) => server.log.list({ target }),
      close: () => server.close(),
    },
    call: (method, path) => fetch(server.origin + path, { method }),
    queued: () => [...requests.values()],
    sendCallback,
    answerResults: (answer) => (resultAnswer = answer),
    answerPictures: (answer) => (pictureAnswer = answer),
    async finish(id) {
      const request = requests.get(id);
      if (request === undefined) throw new Error(`no request ${id}`);
      request.ended = 'made';
      return request.webhook === undefined ? undefined : sendCallback(id);
    },
  };
}

interface Queue {
  requests: Map<string, QueuedRequest>;
  faults: FaultQueue;
  find(exchange: Exchange): QueuedRequest;
  url(): string;
  result(): Reply | undefined;
}

function queueRoutes(queue: Queue): Route[] {
  const ofId = async ({ params }: Exchange) => queue.requests.get(params['id'] ?? '')?.faults;
  const ofInput = async (exchange: Exchange) => {
    const { faults } = (await exchange.fields()).values;
    return createFaultQueue(faults === undefined ? [] : parseFaults(faults));
  };
  const submits = Object.keys(VIDEO_APPS).map((app): Route => {
    const handle = async (exchange: Exchange) => submit(queue, app, exchange, await ofInput(exchange));
    return { method: 'POST', path: `/${app}`, target: 'create', faults: ofInput, handle };
  });
  // As at fal, these paths have the owner and the app only.
  const item = '/:owner/:app/requests/:id';
  return [
    ...submits,
    {
      method: 'GET',
      path: `${item}/status`,
      target: 'retrieve',
      faults: ofId,
      handle: (exchange) => status(queue, queue.find(exchange)),
    },
    { method: 'GET', path: item, faults: ofId, handle: (exchange) => result(queue, queue.find(exchange)) },
    {
      method: 'PUT',
      path: `${item}/cancel`,
      target: 'delete',
      faults: ofId,
      handle: (exchange) => cancel(queue.find(exchange)),
    },
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
  const request: QueuedRequest = {
    id: randomUUID(),
    app,
    input,
    webhook: query.get('fal_webhook') ?? undefined,
    startTimeout,
    faults,
    script: [...faults.takeForJob(), ...queue.faults.takeForJob()],
    retrieves: 0,
  };
  queue.requests.set(request.id, request);
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

const script = (request: QueuedRequest, kind: JobFault['kind']) =>
  request.script.find((fault) => fault.kind === kind);

function isOver(request: QueuedRequest): boolean {
  return request.ended !== undefined || script(request, 'stall') === undefined;
}

function status(queue: Queue, request: QueuedRequest): Reply {
  const vanish = request.script.find((fault) => fault.kind === 'vanish');
  if (vanish !== undefined && request.retrieves >= vanish.afterRetrieves) {
    queue.requests.delete(request.id);
    throw new UpstreamError(404, 'Request not found');
  }
  request.retrieves += 1;
  const url = urlOf(queue, request);
  const common = { request_id: request.id, response_url: url, logs: null };
  return isOver(request)
    ? jsonReply(200, { ...common, status: 'COMPLETED', metrics: { inference_time: 1.5 } })
    : jsonReply(202, { ...common, status: 'IN_PROGRESS' });
}

function result(queue: Queue, request: QueuedRequest): Reply {
  if (!isOver(request)) throw new UpstreamError(400, 'Request is still in progress');
  const failure = request.script.find((fault) => fault.kind === 'fail');
  if (failure !== undefined) return failed(422, failure.message, failure.code);
  if (request.ended === 'cancelled' || script(request, 'cancel'))
    return failed(499, 'Request cancelled', 'client_cancelled');
  if (script(request, 'expire')) return failed(504, 'Request timed out', 'request_timeout');
  const charge = request.script.find((fault) => fault.kind === 'charge');
  const units = charge === undefined ? USUAL_UNITS : charge.amount;
  const made =
    queue.result() ?? jsonReply(200, { video: file(`${queue.url()}/files/${request.id}/out.mp4`) });
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

function imageRoutes({ url, answer }: { url(): string; answer(): Reply | undefined }): Route[] {
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

function fileRoutes(requests: Map<string, QueuedRequest>): Route[] {
  const ofId = async ({ params }: Exchange) => requests.get(params['id'] ?? '')?.faults;
  const mp4 = (): Reply => ({ status: 200, headers: { 'content-type': 'video/mp4' }, body: MP4 });
  return [
    { method: 'GET', path: '/healthz', keyless: true, handle: () => jsonReply(200, {}) },
    { method: 'GET', path: '/.well-known/jwks.json', keyless: true, handle: falKeys },
    {
      method: 'GET',
      path: '/files/:id/out.mp4',
      target: 'content',
      keyless: true,
      faults: ofId,
      handle: ({ params }) => ({ ...mp4(), keylessPath: `/links/${params['id']}` }),
    },
    { method: 'GET', path: '/links/:id', keyless: true, handle: mp4 },
    {
      method: 'GET',
      path: '/files/x/out.png',
      keyless: true,
      handle: () => ({ status: 200, headers: { 'content-type': 'image/png' }, body: PNG }),
    },
  ];
}
