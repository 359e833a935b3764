/** Handles the operations on video jobs of the local upstream. */
import { jsonReply, type Reply, UpstreamError } from '../reply.ts';
import type { Exchange } from '../route.ts';
import { chargesOf } from './video-charges.ts';
import { presentVideo, stateOf, type VideoJob } from './video-job.ts';
import { parseCreate, parseRemix } from './video-request.ts';
import type { VideoStore } from './video-store.ts';
import type { VideoSubmissions } from './video-submissions.ts';

/** The state that the handlers of one server share. */
export interface Videos {
  store: VideoStore;
  submissions: VideoSubmissions;
}

const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

export async function createVideo(videos: Videos, exchange: Exchange): Promise<Reply> {
  const job = await videos.submissions.submit(exchange, async () => parseCreate(await exchange.fields()));
  return jsonReply(200, presentVideo(job));
}

export async function remixVideo(videos: Videos, exchange: Exchange): Promise<Reply> {
  const source = findVideo(videos, exchange);
  if (stateOf(source).status !== 'completed') {
    throw new UpstreamError(400, 'Only a completed video can be remixed.', { param: 'id' });
  }
  const parse = async () => parseRemix(await exchange.fields(), source.request);
  return jsonReply(200, presentVideo(await videos.submissions.submit(exchange, parse, source)));
}

export function retrieveVideo(videos: Videos, exchange: Exchange): Reply {
  const job = findVideo(videos, exchange);
  const vanish = job.script.find((fault) => fault.kind === 'vanish');
  if (vanish !== undefined && job.retrieves >= vanish.afterRetrieves) {
    videos.store.remove(job);
    throw notFound(job.id);
  }
  job.retrieves += 1;
  const { fields, headers } = chargesOf(job);
  return jsonReply(200, { ...presentVideo(job), ...fields }, headers);
}

export function listVideos({ store }: Videos, { query }: Exchange): Reply {
  const key = query.get('idempotency_key');
  const matching = key === null ? store.list() : [store.findByKey(key)].filter((job) => job !== undefined);
  const after = query.get('after');
  const start = after === null ? 0 : matching.findIndex(({ id }) => id === after) + 1;
  const limit = Math.min(MAX_PAGE, Number(query.get('limit') ?? DEFAULT_PAGE) || DEFAULT_PAGE);
  const page = matching.slice(start, start + limit);
  return jsonReply(200, {
    object: 'list',
    data: page.map(presentVideo),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: matching.length > start + limit,
  });
}

export function deleteVideo(videos: Videos, exchange: Exchange): Reply {
  const job = findVideo(videos, exchange);
  const wasCompleted = stateOf(job).status === 'completed';
  const { fields, headers } = chargesOf(job, wasCompleted ? 'completed' : 'cancelled');
  videos.store.remove(job);
  return jsonReply(200, { id: job.id, object: 'video.deleted', deleted: true, ...fields }, headers);
}

export function serveContent(videos: Videos, exchange: Exchange): Reply {
  return fileReply(findVideo(videos, exchange));
}

export function serveLink(videos: Videos, { params }: Exchange): Reply {
  const job = videos.store.findByLink(params['token'] ?? '');
  if (job === undefined) throw new UpstreamError(404, 'There is nothing here.');
  return fileReply(job);
}

function fileReply(job: VideoJob): Reply {
  const state = stateOf(job);
  if (state.status !== 'completed') {
    throw new UpstreamError(409, 'The video is not ready.', { code: 'not_ready' });
  }
  return {
    status: 200,
    headers: { 'content-type': 'video/mp4' },
    body: state.mp4,
    keylessPath: `/links/${job.linkToken}`,
  };
}

function findVideo({ store }: Videos, { params }: Exchange): VideoJob {
  const job = store.get(params['id'] ?? '');
  if (job === undefined) throw notFound(params['id']);
  return job;
}

function notFound(id: string | undefined): UpstreamError {
  return new UpstreamError(404, `Video with id '${id}' not found.`, { param: 'id' });
}
