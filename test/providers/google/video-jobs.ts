/** Plays video jobs on both of Google's wires: interactions of Omni, and operations of Veo with their bucket. */
import { randomUUID } from 'node:crypto';
import { isFields } from '../../../domain/fields.ts';
import { parseFaults } from '../../../upstream/control.ts';
import { createFaultQueue, type FaultQueue, type JobFault } from '../../../upstream/faults.ts';
import { jsonReply, type Reply, UpstreamError } from '../../../upstream/reply.ts';
import type { Exchange, Route } from '../../../upstream/route.ts';
import { signed } from '../replicate-upstream.ts';
import { signedByGoogle } from './video-replies.ts';
import { type InteractionBody, interactionBody, prediction, vertexInteraction } from './video-wire.ts';
import { checked } from './wire.ts';

export const VEO = 'veo-3.1-lite-generate-001';
const TOKENS_PER_SECOND = { '360p': 1_931, '720p': 5_792, '1080p': 8_688, '4k': 17_376 };

/** The head of an MP4 file and some bytes more: the gateway looks at no more than that. */
export const MP4 = Buffer.concat([
  Buffer.from('000000186674797069736f6d0000020069736f6d6d703432', 'hex'),
  Buffer.alloc(4096),
]);

/** A job of the stand-in, in memory. */
export interface VideoJob {
  id: string;
  /** The request, as it was accepted. */
  body: object;
  webhook?: string | undefined;
  faults: FaultQueue;
  script: JobFault[];
  retrieves: number;
  /** How it was ended from outside. */
  ended?: 'made' | 'cancelled';
}

/** The jobs of one cloud, and how it answers about them. */
export class VideoJobs {
  /** Oldest first. */
  readonly all = new Map<string, VideoJob>();
  /** The state of all files. */
  fileState = 'ACTIVE';
  readonly #faults: FaultQueue;
  #answer: ((made: Record<string, unknown>) => Reply) | undefined;

  constructor(faults: FaultQueue) {
    this.#faults = faults;
  }

  /** Changes the answers about jobs that made a video; undefined restores them. */
  answerWith(answer: ((made: Record<string, unknown>) => Reply) | undefined): void {
    this.#answer = answer;
  }

  list(): VideoJob[] {
    return [...this.all.values()];
  }

  add(facts: Pick<VideoJob, 'id' | 'body' | 'webhook'>, faults: FaultQueue): VideoJob {
    const script = [...faults.takeForJob(), ...this.#faults.takeForJob()];
    const job = { ...facts, faults, script, retrieves: 0 };
    this.all.set(job.id, job);
    return job;
  }

  /** Ends a job that stalls, and calls its webhook. */
  async finish(id: string): Promise<Response | undefined> {
    const job = this.all.get(id);
    if (job === undefined) throw new Error(`no job ${id}`);
    job.ended = 'made';
    return job.webhook === undefined ? undefined : this.sendCallback(id);
  }

  /** Sends a callback with a JWT, as for one interaction, or signed by the secret of a webhook of the project. */
  async sendCallback(id: string, { to, secret }: { to?: string; secret?: string } = {}): Promise<Response> {
    const event = { type: 'interaction.completed', version: 'v1', data: { id } };
    const body = JSON.stringify(event);
    const address = to ?? this.all.get(id)?.webhook;
    if (address === undefined) throw new Error('no webhook was asked for');
    const headers = secret === undefined ? signedByGoogle(id, event) : signed(secret, id, body);
    return fetch(address, { method: 'POST', headers, body });
  }

  /** Answers about a job, in the words of its wire. */
  reply(job: VideoJob, words: Words): Reply {
    const fault = <Kind extends JobFault['kind']>(kind: Kind) =>
      job.script.find((each): each is Extract<JobFault, { kind: Kind }> => each.kind === kind);
    if (job.retrieves >= (fault('vanish')?.afterRetrieves ?? Infinity)) {
      this.all.delete(job.id);
      throw words.gone;
    }
    job.retrieves += 1;
    const state = (name: Exclude<keyof Words, 'gone' | 'failed' | 'made'>) => jsonReply(200, words[name]);
    if (job.ended === undefined && fault('stall') !== undefined) return state('running');
    const failure = fault('fail');
    if (failure !== undefined) return jsonReply(200, words.failed(failure));
    if (fault('expire') !== undefined) return state('expired');
    if (job.ended === 'cancelled' || fault('cancel') !== undefined) return state('cancelled');
    const made = words.made(fault('charge')?.amount);
    return this.#answer?.(made) ?? jsonReply(200, made);
  }
}

/** The answers of a wire about a job in each state. */
interface Words {
  gone: UpstreamError;
  running: object;
  expired: object;
  cancelled: object;
  failed(failure: { code: string; message: string }): object;
  made(charged: number | string | null | undefined): Record<string, unknown>;
}

type Target = NonNullable<Route['target']>;
const UNKNOWN_INTERACTION = new UpstreamError(400, 'Invalid interaction name.');

/**
 * Returns the routes of interactions in the region `global` of a project: they have no files and no cancel, and take a
 * list of forms.
 */
export function vertexInteractionRoutes(jobs: VideoJobs, place: string): Route[] {
  const [create, retrieve] = interactionRoutes(jobs, () => '', place);
  return [create!, retrieve!];
}

/** Returns the routes of interactions, of which each has a file. They grow with every interaction. */
export function interactionRoutes(jobs: VideoJobs, url: () => string, place?: string): Route[] {
  const guard = place === undefined ? withOneCredential : (handle: Route['handle']) => handle;
  const find = ({ params }: Exchange) => jobs.all.get(params['id'] ?? '');
  const faults = async (exchange: Exchange) => find(exchange)?.faults;
  const known = (exchange: Exchange) => {
    const job = find(exchange);
    if (job === undefined) throw UNKNOWN_INTERACTION;
    return job;
  };
  const uriOf = (id: string) =>
    place === undefined ? `${url()}/v1beta/files/${id}:download?alt=media` : uriInBucket(id);
  const retrieve = (job: VideoJob) => jobs.reply(job, interactionWords(job, uriOf(job.id)));
  const create = async (exchange: Exchange): Promise<Reply> => {
    const { faults: _, ...values } = (await exchange.fields()).values;
    const body = place === undefined ? checked(interactionBody, values) : checked(vertexInteraction, values);
    const { previous_interaction_id: previous, webhook_config: webhook } = body;
    if (previous !== undefined && !jobs.all.has(previous)) throw UNKNOWN_INTERACTION;
    const facts = { id: `v1_${randomUUID()}`, body: values, webhook: webhook?.uris[0] };
    const { id, faults: own } = jobs.add(facts, await faultsOf(exchange));
    const begun = jsonReply(200, { id, status: 'in_progress', object: 'interaction' });
    if (place !== undefined) return begun;
    // A file has routes of its own, because `:download` belongs to the last segment of a path.
    const file = `/v1beta/files/${id}`;
    const state = () => jsonReply(200, { name: `files/${id}`, mimeType: 'video/mp4', state: jobs.fileState });
    routes.push(
      { method: 'GET', path: file, handle: state },
      ...downloads(`${file}:download`, `/links/${id}`, () => own, withOneCredential),
    );
    return begun;
  };
  const cancel = (job: VideoJob): Reply => {
    const isStalled = job.script.some(({ kind }) => kind === 'stall');
    if (job.ended === 'made' || (job.ended === undefined && !isStalled))
      throw new UpstreamError(400, 'The interaction has ended.');
    job.ended = 'cancelled';
    return retrieve(job);
  };
  const path = `${place ?? '/v1beta'}/interactions`;
  const route = (method: 'GET' | 'POST', at: string, target: Target, handle: Route['handle']): Route => {
    return { method, path: at, target, faults, handle: guard(handle) };
  };
  const routes = [
    { ...route('POST', path, 'create', create), faults: faultsOf },
    route('GET', `${path}/:id`, 'retrieve', (exchange) => retrieve(known(exchange))),
    route('POST', `${path}/:id/cancel`, 'delete', (exchange) => cancel(known(exchange))),
  ];
  return routes;
}

function withOneCredential(handle: Route['handle']): Route['handle'] {
  return (exchange) => {
    if (exchange.headers.authorization === undefined && !exchange.query.has('key')) return handle(exchange);
    throw new UpstreamError(400, 'Multiple authentication credentials received. Please pass only one.');
  };
}

function interactionWords({ id, body }: VideoJob, uri: string): Words {
  const { model, response_format: formats } = body as InteractionBody;
  const [format = formats] = [formats].flat();
  const common = { id, object: 'interaction', model, created: '2026-11-28T00:00:00Z' };
  const state = (status: string, more: object = {}) => ({ ...common, status, ...more });
  const failed = (code: string, message: string) => state('failed', { errors: [{ code, message }] });
  const { duration = '10s', resolution = '720p' } = format;
  const usual = TOKENS_PER_SECOND[resolution] * Number.parseInt(duration, 10);
  return {
    gone: UNKNOWN_INTERACTION,
    running: state('in_progress'),
    expired: failed('deadline_exceeded', 'Took too long'),
    cancelled: state('cancelled'),
    failed: ({ code, message }) => failed(code, message),
    made(tokens = usual) {
      const usage = {
        total_input_tokens: 21,
        input_tokens_by_modality: [{ modality: 'text', tokens: 21 }],
        total_output_tokens: tokens,
        output_tokens_by_modality: [{ modality: 'video', tokens }],
        total_thought_tokens: 412,
      };
      const video = { type: 'model_output', content: [{ type: 'video', mime_type: 'video/mp4', uri }] };
      const steps = [{ type: 'thought', signature: 'c2lnbmVk' }, video];
      return state('completed', { steps, ...(tokens !== null && { usage }) });
    },
  };
}

/** Returns the routes of operations of Veo in a project and a region, and of its bucket. */
export function operationRoutes(jobs: VideoJobs, place: string): Route[] {
  const project = `${place.split('/').slice(2).join('/')}/publishers/google`;
  const method = (name: string) => `${place}/publishers/google/models/${VEO}:${name}`;
  const find = async (exchange: Exchange) =>
    jobs.all.get(String((await exchange.fields()).values['operationName']));
  const faults = async (exchange: Exchange) => faultsOf(exchange, 'parameters');
  return [
    {
      method: 'POST',
      path: method('predictLongRunning'),
      target: 'create',
      faults,
      async handle(exchange) {
        const { parameters, ...values } = (await exchange.fields()).values;
        const { faults: _, ...rest } = isFields(parameters) ? parameters : {};
        const body = checked(prediction, { ...values, parameters: rest });
        const id = `${project}/models/${VEO}/operations/${randomUUID()}`;
        jobs.add({ id, body }, await faults(exchange));
        return jsonReply(200, { name: id });
      },
    },
    {
      method: 'POST',
      path: method('fetchPredictOperation'),
      target: 'retrieve',
      faults: async (exchange) => (await find(exchange))?.faults,
      async handle(exchange) {
        const job = await find(exchange);
        if (job === undefined) throw new UpstreamError(404, 'Requested entity was not found.');
        return jobs.reply(job, operationWords(job));
      },
    },
    ...downloads('/storage/v1/b/videos-of-p1/o/:name', '/links/sample', ({ params }) => {
      const [folder = ''] = (params['name'] ?? '').split('/');
      return jobs.list().find(({ id }) => id.endsWith(folder))?.faults;
    }),
  ];
}

function operationWords({ id: name }: VideoJob): Words {
  const failed = (code: number, message: string) => ({ name, done: true, error: { code, message } });
  return {
    gone: new UpstreamError(404, 'Requested entity was not found.'),
    running: { name },
    expired: failed(4, 'Took too long'),
    cancelled: failed(1, 'Cancelled'),
    failed: ({ message }) => failed(13, message),
    made: () => {
      const video = { gcsUri: uriInBucket(name), mimeType: 'video/mp4' };
      return { name, done: true, response: { videos: [video] } };
    },
  };
}

/** Returns the object that holds the video of a job on Vertex AI. */
function uriInBucket(id: string): string {
  return `gs://videos-of-p1/${id.split('/').at(-1)}/sample 0.mp4`;
}

/** Returns the faults that a request brings along, in its body or in an object there. */
async function faultsOf(exchange: Exchange, within?: string): Promise<FaultQueue> {
  const { values } = await exchange.fields();
  const holder = within === undefined ? values : values[within];
  const faults = isFields(holder) ? holder['faults'] : undefined;
  return createFaultQueue(faults === undefined ? [] : parseFaults(faults));
}

function downloads(
  path: string,
  link: string,
  faults: (exchange: Exchange) => FaultQueue | undefined,
  guard = (handle: Route['handle']) => handle,
): Route[] {
  const mp4 = (): Reply => ({ status: 200, headers: { 'content-type': 'video/mp4' }, body: MP4 });
  const handle = guard(({ query }) => {
    if (query.get('alt') !== 'media') throw new UpstreamError(400, 'alt must be media');
    return { ...mp4(), keylessPath: link };
  });
  return [
    { method: 'GET', path, target: 'content', faults: async (exchange) => faults(exchange), handle },
    { method: 'GET', path: link, keyless: true, handle: mp4 },
  ];
}
