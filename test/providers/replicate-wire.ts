import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { FaultQueue } from '../../upstream/faults.ts';
import { jsonReply, type Reply, UpstreamError } from '../../upstream/reply.ts';
import type { Exchange, Route } from '../../upstream/route.ts';
import { type Prediction, presentPrediction, statusOf } from './replicate-prediction.ts';
import type { VideoCloud } from './video-cloud.ts';

type Cloud = VideoCloud<Prediction>;

/** The documented request has these fields and no other. */
const createBody = z.strictObject({
  input: z.record(z.string(), z.unknown()),
  stream: z.boolean().optional(),
  webhook: z.url().optional(),
  webhook_events_filter: z.array(z.enum(['start', 'output', 'logs', 'completed'])).default(['completed']),
});
const createByVersionBody = createBody.extend({ version: z.string().min(1) });

/**
 * The routes of Replicate's predictions, from its OpenAPI description. Cancelling has the fault target
 * `delete`, a file's download `content`.
 */
export function createPredictionRoutes(cloud: Cloud): Route[] {
  const ofInput = async (exchange: Exchange): Promise<FaultQueue> => {
    const { input } = (await exchange.fields()).values as { input?: { faults?: unknown } };
    return cloud.faultsIn(input?.faults);
  };
  const create = async (exchange: Exchange): Promise<Reply> =>
    present(cloud, await addPrediction(cloud, exchange, await ofInput(exchange)), 201);
  const get = (exchange: Exchange): Reply => {
    const prediction = cloud.find(exchange);
    cloud.retrieve(prediction);
    return present(cloud, prediction);
  };
  const stop = (exchange: Exchange): Reply => present(cloud, cancel(cloud.find(exchange)));
  const byName = '/v1/models/:owner/:name/predictions';
  const item = '/v1/predictions/:id';
  const faults = cloud.faultsOf;
  return [
    { method: 'POST', path: '/v1/predictions', target: 'create', faults: ofInput, handle: create },
    { method: 'POST', path: byName, target: 'create', faults: ofInput, handle: create },
    { method: 'GET', path: item, target: 'retrieve', faults, handle: get },
    { method: 'POST', path: `${item}/cancel`, target: 'delete', faults, handle: stop },
    ...cloud.fileRoutes('/delivery/:id/out.mp4'),
  ];
}

async function addPrediction(cloud: Cloud, exchange: Exchange, faults: FaultQueue): Promise<Prediction> {
  const { owner, name } = exchange.params;
  const { values } = await exchange.fields();
  const parsed = (owner === undefined ? createByVersionBody : createBody).safeParse(values);
  if (!parsed.success) throw new UpstreamError(422, z.prettifyError(parsed.error));
  const { input, webhook, webhook_events_filter: webhookEvents } = parsed.data;
  const lifetimeMs = cancelAfterMs(exchange.headers['cancel-after']);
  return cloud.add(faults, {
    id: randomBytes(13).toString('hex'),
    ...(owner === undefined
      ? { model: 'by/version', version: String(values['version']) }
      : { model: `${owner}/${name}`, version: 'hidden' }),
    input,
    webhookEvents,
    createdAtMs: Date.now(),
    ...(webhook === undefined ? {} : { webhook }),
    ...(lifetimeMs === undefined ? {} : { deadlineMs: Date.now() + lifetimeMs }),
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

function cancel(prediction: Prediction): Prediction {
  if (statusOf(prediction) === 'processing') prediction.ended = { status: 'canceled', atMs: Date.now() };
  return prediction;
}

function present({ url }: Cloud, prediction: Prediction, status = 200): Reply {
  return jsonReply(status, presentPrediction(prediction, url()));
}
