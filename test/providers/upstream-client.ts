import { setTimeout as wait } from 'node:timers/promises';
import { createUpstream, type Upstream, type UpstreamOptions } from '../../upstream/create-upstream.ts';

const POLL_MS = 10;
export const UPSTREAM_KEY = 'sk-local-0123456789abcdef';

/** The video object, as far as these tests look at it. */
export interface VideoObject {
  id: string;
  status: string;
  progress: number;
  size: string;
  seconds: string;
  model: string;
  prompt: string | null;
  error: { code: string; message: string } | null;
  remixed_from_video_id: string | null;
}

/** A running local upstream and a plain HTTP client for it. */
export interface UpstreamClient {
  upstream: Upstream;
  url: string;
  baseUrl: string;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Response>;
  create(body: object, headers?: Record<string, string>): Promise<VideoObject>;
  retrieve(id: string): Promise<VideoObject>;
  /** Asks again and again until the job has ended. */
  ended(id: string): Promise<VideoObject>;
  /** Creates, awaits and downloads. */
  render(body: object): Promise<{ video: VideoObject; mp4: Buffer }>;
}

export async function startUpstream(options: Partial<UpstreamOptions> = {}): Promise<UpstreamClient> {
  const upstream = createUpstream({ apiKey: UPSTREAM_KEY, ...options });
  const { url, baseUrl } = await upstream.listen(0);

  async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    return fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${UPSTREAM_KEY}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async function json<T>(answer: Promise<Response>): Promise<T> {
    const response = await answer;
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  const create: UpstreamClient['create'] = (body, headers) => json(call('POST', '/v1/videos', body, headers));
  const retrieve: UpstreamClient['retrieve'] = (id) => json(call('GET', `/v1/videos/${id}`));

  async function ended(id: string): Promise<VideoObject> {
    for (;;) {
      const video = await retrieve(id);
      if (video.status !== 'queued' && video.status !== 'in_progress') return video;
      await wait(POLL_MS);
    }
  }

  return {
    upstream,
    url,
    baseUrl,
    call,
    create,
    retrieve,
    ended,
    async render(body) {
      const video = await ended((await create(body)).id);
      const content = await call('GET', `/v1/videos/${video.id}/content`);
      return { video, mp4: Buffer.from(await content.arrayBuffer()) };
    },
  };
}
