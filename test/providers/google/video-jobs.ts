/** Plays video jobs on both of Google's wires: interactions of Omni, and operations of Veo with their bucket. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { fieldsOf } from '../../../domain/fields.ts';
import { jsonReply, type Reply, UpstreamError } from '../../../upstream/reply.ts';
import type { Exchange, Route } from '../../../upstream/route.ts';
import {
  faultOf,
  type MadeJob,
  startVideoCloud,
  type VideoCloud,
  type VideoCloudOptions,
} from '../video-cloud.ts';
import { type InteractionBody, interactionBody, prediction, vertexInteraction } from './video-wire.ts';
import { checked } from './wire.ts';

export const VEO = 'veo-3.1-lite-generate-001';
const TOKENS_PER_SECOND = { '360p': 1_931, '720p': 5_792, '1080p': 8_688, '4k': 17_376 };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A job of the stand-in, in memory. */
export interface VideoJob extends MadeJob {
  /** The request, as it was accepted. */
  body: object;
  webhook?: string | undefined;
}

type Shown = Record<string, unknown>;

/** The jobs of one cloud, and how it answers about them. */
export class VideoJobs {
  readonly cloud: VideoCloud<VideoJob>;
  /** The state of all files. */
  fileState = 'ACTIVE';
  /** The answer about jobs that made a video, in place of the usual one. */
  answer: ((made: Shown) => Reply) | undefined;

  constructor(cloud: VideoCloud<VideoJob>) {
    this.cloud = cloud;
  }

  /** Oldest first. */
  list(): VideoJob[] {
    return [...this.cloud.jobs.values()];
  }

  /** Ends a job that stalls, and calls its webhook, as for one interaction. */
  async finish(id: string): Promise<Response | undefined> {
    const job = this.cloud.get(id);
    job.script = job.script.filter(({ kind }) => kind !== 'stall');
    if (job.webhook === undefined) return undefined;
    const event = { type: 'interaction.completed', version: 'v1', data: { id } };
    const body = JSON.stringify(event);
    return fetch(job.webhook, { method: 'POST', headers: signedByGoogle(id, event), body });
  }

  /** Answers a request for the status of a job, as its wire shows the job. */
  reply(job: VideoJob, shown: (job: VideoJob) => Shown): Reply {
    this.cloud.retrieve(job);
    const made = endOf(job) === undefined ? this.answer?.(shown(job)) : undefined;
    return made ?? jsonReply(200, shown(job));
  }
}

/** Returns why a job has no video; undefined if it made one. */
function endOf(job: VideoJob): 'stall' | 'fail' | 'expire' | 'cancel' | undefined {
  return (['stall', 'fail', 'expire', 'cancel'] as const).find((kind) => faultOf(job, kind));
}

/** Starts a cloud with these routes. A job that is not there is refused in the words of its wire. */
export async function startVideos(
  options: Pick<VideoCloudOptions<VideoJob>, 'basePath' | 'scheme' | 'keyHeader' | 'refusal'>,
  routesOf: (jobs: VideoJobs) => Route[],
): Promise<VideoJobs> {
  const missing = (id: string) =>
    id.includes('/operations/')
      ? new UpstreamError(404, 'Requested entity was not found.')
      : new UpstreamError(400, 'Invalid interaction name.');
  let jobs: VideoJobs;
  const routes = (cloud: VideoCloud<VideoJob>) => routesOf((jobs = new VideoJobs(cloud)));
  await startVideoCloud<VideoJob>({ ...options, missing, routes });
  return jobs!;
}

/** Returns the routes of interactions in the Gemini API. They grow with every interaction, which has a file. */
export function interactionRoutes(jobs: VideoJobs): Route[] {
  const { cloud } = jobs;
  const { faultsOf: faults } = cloud;
  const item = '/v1beta/interactions/:id';
  const show = (job: VideoJob) =>
    showInteraction(job, `${cloud.url()}/v1beta/files/${job.id}:download?alt=media`);
  const answer = (exchange: Exchange) => {
    rejectTwoCredentials(exchange);
    return jobs.reply(cloud.find(exchange), show);
  };
  const cancel = (exchange: Exchange) => {
    const job = cloud.find(exchange);
    const end = endOf(job);
    if (end !== 'stall' && end !== 'cancel') throw new UpstreamError(400, 'The interaction has ended.');
    job.script = [{ kind: 'cancel', on: 'job', times: 1 }];
    return answer(exchange);
  };
  const onMade = (job: VideoJob) => routes.push(...fileRoutes(jobs, job));
  const routes: Route[] = [
    submission(cloud, '/v1beta/interactions', interactionBody, onMade),
    { method: 'GET', path: item, target: 'retrieve', faults, handle: answer },
    { method: 'POST', path: `${item}/cancel`, target: 'delete', faults, handle: cancel },
  ];
  return routes;
}

/**
 * Returns the routes of operations in a region of a project, and of interactions in the region `global`. These have no
 * files and no cancel.
 */
export function vertexVideoRoutes(jobs: VideoJobs, place: string): Route[] {
  const { cloud } = jobs;
  const path = place.replace(/[^/]+$/, 'global/interactions');
  const show = (job: VideoJob) => showInteraction(job, uriInBucket(job.id));
  const answer = (exchange: Exchange) => jobs.reply(cloud.find(exchange), show);
  return [
    ...operationRoutes(jobs, `${place}/publishers/google/models/${VEO}`),
    submission(cloud, path, vertexInteraction),
    { method: 'GET', path: `${path}/:id`, target: 'retrieve', faults: cloud.faultsOf, handle: answer },
  ];
}

function submission(
  cloud: VideoJobs['cloud'],
  path: string,
  schema: z.ZodType<InteractionBody>,
  onMade?: (job: VideoJob) => void,
): Route {
  return {
    method: 'POST',
    path,
    target: 'create',
    faults: async (exchange) => cloud.faultsIn((await exchange.fields()).values['faults']),
    async handle(exchange) {
      rejectTwoCredentials(exchange);
      const { faults, ...values } = (await exchange.fields()).values;
      const { previous_interaction_id: previous, webhook_config: webhook } = checked(schema, values);
      if (previous !== undefined) cloud.get(previous);
      const facts = { id: `v1_${randomUUID()}`, body: values, webhook: webhook?.uris[0] };
      const job = cloud.add(cloud.faultsIn(faults), facts);
      onMade?.(job);
      return jsonReply(200, { id: job.id, status: 'in_progress', object: 'interaction' });
    },
  };
}

function rejectTwoCredentials({ headers, query }: Exchange): void {
  const given = [headers['x-goog-api-key'], headers.authorization, query.get('key') ?? undefined];
  if (given.filter((each) => each !== undefined).length > 1)
    throw new UpstreamError(400, 'Multiple authentication credentials received. Please pass only one.');
}

function checkDownload(exchange: Exchange): void {
  rejectTwoCredentials(exchange);
  if (exchange.query.get('alt') !== 'media') throw new UpstreamError(400, 'alt must be media');
}

/** Returns the routes of a file. It has its own, because `:download` belongs to the last segment of a path. */
function fileRoutes(jobs: VideoJobs, { id, faults }: VideoJob): Route[] {
  const path = `/v1beta/files/${id}`;
  const state = () => jsonReply(200, { name: `files/${id}`, mimeType: 'video/mp4', state: jobs.fileState });
  const own = { faults: async () => faults, check: checkDownload };
  return [{ method: 'GET', path, handle: state }, ...jobs.cloud.fileRoutes(`${path}:download`, own)];
}

function showInteraction(job: VideoJob, uri: string): Shown {
  const { model, response_format: formats } = job.body as InteractionBody;
  const state = (status: string, more: object = {}) => {
    return { id: job.id, object: 'interaction', model, created: '2026-11-28T00:00:00Z', status, ...more };
  };
  const failed = (code: string, message: string) => state('failed', { errors: [{ code, message }] });
  const failure = faultOf(job, 'fail');
  const end = endOf(job);
  if (end === 'stall') return state('in_progress');
  if (end === 'cancel') return state('cancelled');
  if (end === 'expire') return failed('deadline_exceeded', 'Took too long');
  if (failure !== undefined) return failed(failure.code, failure.message);
  const { duration = '10s', resolution = '720p' } = [formats].flat()[0]!;
  const usual = TOKENS_PER_SECOND[resolution] * Number.parseInt(duration, 10);
  const { amount: tokens } = faultOf(job, 'charge') ?? { amount: usual };
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
}

/**
 * Returns the answer about an interaction with its video in base64, sent as it is made. Another long string comes
 * before it, and a string with an escaped quote that arrives in two pieces.
 */
export function inlineReply(made: Record<string, unknown>, base64: Iterable<Buffer>): Reply {
  const { steps: _, ...rest } = made;
  function* body(): Generator<Buffer> {
    yield Buffer.from(
      `{"steps":[{"type":"thought","signature":"${'a'.repeat(6_000)}","summary":"\\\\ and \\`,
    );
    yield Buffer.from('""},{"type":"model_output","content":[{"mime_type":"video/mp4","data":"');
    yield* base64;
    yield Buffer.from(`","type":"video"}]}],${JSON.stringify(rest).slice(1)}`);
  }
  return { ...jsonReply(200, {}), body: Readable.from(body(), { objectMode: false }) };
}

function operationRoutes(jobs: VideoJobs, model: string): Route[] {
  const { cloud } = jobs;
  const nameIn = async (exchange: Exchange) => String((await exchange.fields()).values['operationName']);
  const ofInput = async (exchange: Exchange) => fieldsOf((await exchange.fields()).values['parameters']);
  return [
    {
      method: 'POST',
      path: `${model}:predictLongRunning`,
      target: 'create',
      faults: async (exchange) => cloud.faultsIn((await ofInput(exchange))['faults']),
      async handle(exchange) {
        const { faults, ...parameters } = await ofInput(exchange);
        const body = checked(prediction, { ...(await exchange.fields()).values, parameters });
        // The name of an operation begins behind the version in the path.
        const id = `${model.split('/').slice(2).join('/')}/operations/${randomUUID()}`;
        cloud.add(cloud.faultsIn(faults), { id, body });
        return jsonReply(200, { name: id });
      },
    },
    {
      method: 'POST',
      path: `${model}:fetchPredictOperation`,
      target: 'retrieve',
      faults: async (exchange) => cloud.jobs.get(await nameIn(exchange))?.faults,
      handle: async (exchange) => jobs.reply(cloud.get(await nameIn(exchange)), showOperation),
    },
    ...cloud.fileRoutes('/storage/v1/b/videos-of-p1/o/:name', {
      check: checkDownload,
      async faults({ params }) {
        const [folder = ''] = (params['name'] ?? '').split('/');
        return jobs.list().find(({ id }) => id.endsWith(folder))?.faults;
      },
    }),
  ];
}

function showOperation(job: VideoJob): Shown {
  const name = job.id;
  const failed = (code: number, message: string) => ({ name, done: true, error: { code, message } });
  const failure = faultOf(job, 'fail');
  const end = endOf(job);
  if (end === 'stall') return { name };
  if (end === 'cancel') return failed(1, 'Cancelled');
  if (end === 'expire') return failed(4, 'Took too long');
  if (failure !== undefined) return failed(13, failure.message);
  return { name, done: true, response: { videos: [{ gcsUri: uriInBucket(name), mimeType: 'video/mp4' }] } };
}

/** Returns the object that holds the video of a job on Vertex AI. */
function uriInBucket(id: string): string {
  return `gs://videos-of-p1/${id.split('/').at(-1)}/sample 0.mp4`;
}

/** The headers of a callback about one interaction, with a JWT. */
export function signedByGoogle(id: string, event: object): Record<string, string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${encode({ alg: 'RS256', kid: 'key-1' })}.${encode({ aud: 'project-1', ...event })}`;
  return {
    'content-type': 'application/json',
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `${head}.${sign('sha256', Buffer.from(head), privateKey).toString('base64url')}`,
  };
}
