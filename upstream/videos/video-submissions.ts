/** Accepts video jobs of the local upstream, once for each idempotency key. */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { faultsIn } from '../control.ts';
import type { FaultQueue } from '../faults.ts';
import type { ClipRenderer } from '../media/clip-renderer.ts';
import { UpstreamError } from '../reply.ts';
import type { Exchange } from '../route.ts';
import { needsRender, type VideoJob } from './video-job.ts';
import type { StartRendering } from './video-rendering.ts';
import type { VideoRequest } from './video-request.ts';
import type { VideoStore } from './video-store.ts';

export interface VideoSubmissions {
  /** Returns the faults in the submission. A retry does not restore the faults that the first attempt used. */
  faultsOf(exchange: Exchange): Promise<FaultQueue>;
  /** Creates a job, or returns the job of the same idempotency key. Throws UpstreamError. */
  submit(
    exchange: Exchange,
    parse: () => VideoRequest | Promise<VideoRequest>,
    source?: VideoJob,
  ): Promise<VideoJob>;
}

export interface VideoSubmissionsOptions {
  store: VideoStore;
  renderer: ClipRenderer;
  startRendering: StartRendering;
  /** Faults for the next matching requests. */
  faults: FaultQueue;
}

const REMEMBERED_KEYS = 10_000;

export function createVideoSubmissions(options: VideoSubmissionsOptions): VideoSubmissions {
  const { store, renderer, startRendering } = options;
  const faultsByKey = new LRUCache<string, FaultQueue>({ max: REMEMBERED_KEYS });

  async function faultsOf(exchange: Exchange): Promise<FaultQueue> {
    const key = keyOf(exchange);
    const known = key === undefined ? undefined : faultsByKey.get(key);
    if (known !== undefined) return known;
    const faults = await faultsIn(exchange);
    if (key !== undefined) faultsByKey.set(key, faults);
    return faults;
  }

  function create(
    request: VideoRequest,
    key: string | undefined,
    faults: FaultQueue,
    source?: VideoJob,
  ): VideoJob {
    const job: VideoJob = {
      id: `video_${randomBytes(16).toString('hex')}`,
      createdAtMs: Date.now(),
      request,
      remixedFrom: source?.id,
      idempotencyKey: key,
      linkToken: randomBytes(16).toString('hex'),
      faults,
      script: [...faults.takeForJob(), ...options.faults.takeForJob()],
      render: { state: 'waiting' },
      abort: new AbortController(),
      retrieves: 0,
    };
    store.add(job);
    if (needsRender(job.script)) startRendering(job, source?.request.durationSeconds ?? 0);
    return job;
  }

  return {
    faultsOf,
    async submit(exchange, parse, source) {
      const key = keyOf(exchange);
      const faults = await faultsOf(exchange);
      const request = await parse();
      // Nothing is awaited between this check and the creation of the job, so two requests with one key make one job.
      const existing = key === undefined ? undefined : store.findByKey(key);
      if (existing !== undefined) return existing;
      if (renderer.isFull) throw tooMany();
      return create(request, key, faults, source);
    },
  };
}

function keyOf({ headers }: Exchange): string | undefined {
  const key = headers['idempotency-key'];
  return typeof key === 'string' && key !== '' ? key : undefined;
}

function tooMany(): UpstreamError {
  return new UpstreamError(429, 'Too many videos are waiting.', {
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '5' },
  });
}
