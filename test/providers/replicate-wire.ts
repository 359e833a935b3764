import { z } from 'zod';
import { createFaultQueue, type FaultQueue } from '../../upstream/faults.ts';
import { parseFaults } from '../../upstream/control.ts';
import { jsonReply, type Reply, UpstreamError } from '../../upstream/reply.ts';
import type { Exchange, Route } from '../../upstream/route.ts';
import { newPrediction, type Prediction, presentPrediction, statusOf } from './replicate-prediction.ts';

export interface PredictionsOptions {
  predictions: Map<string, Prediction>;
  /** Faults for whoever comes next. */
  faults: FaultQueue;
  url(): string;
}

/** The documented request has these fields and no other. */
const createBody = z.strictObject({
  input: z.record(z.string(), z.unknown()),
  stream: z.boolean().optional(),
  webhook: z.url().optional(),
  webhook_events_filter: z.array(z.enum(['start', 'output', 'logs', 'completed'])).default(['completed']),
});
const createByVersionBody = createBody.extend({ version: z.string().min(1) });

/** The head of an MP4 file and some bytes more: the gateway looks at no more than that. */
const MP4 = Buffer.concat([
  Buffer.from('000000186674797069736f6d0000020069736f6d6d703432', 'hex'),
  Buffer.alloc(4096),
]);

/**
 * The routes of Replicate's predictions, from its OpenAPI description. Cancelling has the fault target
 * `delete`, a file's download `content`.
 */
export function createPredictionRoutes(options: PredictionsOptions): Route[] {
  const { predictions } = options;
  const brought = new WeakMap<Exchange, FaultQueue>();
  const faults = async (exchange: Exchange): Promise<FaultQueue> => {
    const { input } = (await exchange.fields()).values as { input?: { faults?: unknown } };
    const queue = createFaultQueue(input?.faults === undefined ? [] : parseFaults(input.faults));
    brought.set(exchange, queue);
    return queue;
  };
  const create = async (exchange: Exchange): Promise<Reply> => {
    const prediction = await parsePrediction(options, exchange, brought.get(exchange)!);
    predictions.set(prediction.id, prediction);
    return present(options, prediction, 201);
  };
  const get = (exchange: Exchange) => present(options, retrieve(predictions, exchange));
  const stop = (exchange: Exchange) => present(options, cancel(find(predictions, exchange)));
  const serve = ({ params }: Exchange) => ({ ...file(), keylessPath: `/links/${params['token']}` });
  const ofId = async ({ params }: Exchange) => predictions.get(params['id'] ?? '')?.faults;
  const ofToken = async ({ params }: Exchange) =>
    [...predictions.values()].find(({ token }) => token === params['token'])?.faults;
  const byName = '/v1/models/:owner/:name/predictions';
  const item = '/v1/predictions/:id';
  const download = '/delivery/:token/out.mp4';
  return [
    { method: 'POST', path: '/v1/predictions', target: 'create', faults, handle: create },
    { method: 'POST', path: byName, target: 'create', faults, handle: create },
    { method: 'GET', path: item, target: 'retrieve', faults: ofId, handle: get },
    { method: 'POST', path: `${item}/cancel`, target: 'delete', faults: ofId, handle: stop },
    { method: 'GET', path: download, target: 'content', keyless: true, faults: ofToken, handle: serve },
    { method: 'GET', path: '/links/:token', keyless: true, handle: file },
  ];
}

async function parsePrediction(
  { faults: common }: PredictionsOptions,
  exchange: Exchange,
  faults: FaultQueue,
): Promise<Prediction> {
  const { owner, name } = exchange.params;
  const { values } = await exchange.fields();
  const parsed = (owner === undefined ? createByVersionBody : createBody).safeParse(values);
  if (!parsed.success) throw new UpstreamError(422, z.prettifyError(parsed.error));
  const { input, webhook, webhook_events_filter: webhookEvents } = parsed.data;
  const lifetimeMs = cancelAfterMs(exchange.headers['cancel-after']);
  return newPrediction({
    ...(owner === undefined
      ? { model: 'by/version', version: String(values['version']) }
      : { model: `${owner}/${name}`, version: 'hidden' }),
    input,
    webhookEvents,
    ...(webhook === undefined ? {} : { webhook }),
    ...(lifetimeMs === undefined ? {} : { deadlineMs: Date.now() + lifetimeMs }),
    faults,
    script: [...faults.takeForJob(), ...common.takeForJob()],
  });
}

/** `30`, `90s`, `5m`, `2h30m`; at least five seconds. */
function cancelAfterMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const [whole, hours = '0', minutes = '0', seconds = '0'] =
    /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?$/.exec(header) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (whole === undefined || total < 5) throw new UpstreamError(422, `Cancel-After cannot be ${header}.`);
  return total * 1000;
}

function retrieve(predictions: Map<string, Prediction>, exchange: Exchange): Prediction {
  const prediction = find(predictions, exchange);
  const vanish = prediction.script.find((fault) => fault.kind === 'vanish');
  if (vanish !== undefined && prediction.retrieves >= vanish.afterRetrieves) {
    predictions.delete(prediction.id);
    throw notFound();
  }
  prediction.retrieves += 1;
  return prediction;
}

function cancel(prediction: Prediction): Prediction {
  if (statusOf(prediction) === 'processing') prediction.ended = { status: 'canceled', atMs: Date.now() };
  return prediction;
}

function find(predictions: Map<string, Prediction>, { params }: Exchange): Prediction {
  const prediction = predictions.get(params['id'] ?? '');
  if (prediction === undefined) throw notFound();
  return prediction;
}

function notFound(): UpstreamError {
  return new UpstreamError(404, 'The requested resource could not be found.');
}

function present({ url }: PredictionsOptions, prediction: Prediction, status = 200): Reply {
  return jsonReply(status, presentPrediction(prediction, url()));
}

function file(): Reply {
  return { status: 200, headers: { 'content-type': 'video/mp4' }, body: MP4 };
}
