/** Computes the state of a video job of the local upstream, and presents the job in OpenAI's format. */
import type { FaultQueue, JobFault } from '../faults.ts';
import type { VideoRequest } from './video-request.ts';

/** A job in memory. `stateOf` computes its public state. */
export interface VideoJob {
  id: string;
  createdAtMs: number;
  request: VideoRequest;
  remixedFrom?: string | undefined;
  idempotencyKey?: string | undefined;
  /** The token of the link that works without a key. */
  linkToken: string;
  /** Faults for requests about this job. */
  faults: FaultQueue;
  /** Faults of the job itself. */
  script: JobFault[];
  render: Render;
  abort: AbortController;
  retrieves: number;
}

/** The time that a job is kept in memory. */
export const RETENTION_MS = 3_600_000;

export type Render =
  | { state: 'waiting' }
  | { state: 'rendering'; done: number }
  | { state: 'finished'; mp4: Uint8Array; atMs: number }
  | { state: 'failed'; message: string; atMs: number };

/** The states of a job. `cancelled` and `expired` are not OpenAI's; other servers of this wire use them. */
export type VideoState =
  | { status: 'queued' }
  | { status: 'in_progress'; progress: number }
  | { status: 'completed'; mp4: Uint8Array; atMs: number }
  | { status: 'failed'; code: string; message: string; atMs: number }
  | { status: 'cancelled' | 'expired'; atMs: number };

export function stateOf(job: VideoJob): VideoState {
  const nowMs = Date.now();
  const slow = job.script.find((fault) => fault.kind === 'slow')?.ms ?? 0;
  const readyAtMs = job.createdAtMs + slow;
  if (job.script.some(({ kind }) => kind === 'stall')) return { status: 'in_progress', progress: 50 };
  if (nowMs < readyAtMs) {
    return { status: 'in_progress', progress: Math.floor((99 * (nowMs - job.createdAtMs)) / slow) };
  }
  for (const fault of job.script) {
    if (fault.kind === 'fail')
      return { status: 'failed', code: fault.code, message: fault.message, atMs: readyAtMs };
    if (fault.kind === 'cancel') return { status: 'cancelled', atMs: readyAtMs };
    if (fault.kind === 'expire') return { status: 'expired', atMs: readyAtMs };
  }
  return stateOfRender(job.render, readyAtMs);
}

function stateOfRender(render: Render, readyAtMs: number): VideoState {
  switch (render.state) {
    case 'waiting':
      return { status: 'queued' };
    case 'rendering':
      return { status: 'in_progress', progress: Math.floor(99 * render.done) };
    case 'finished':
      return { status: 'completed', mp4: render.mp4, atMs: Math.max(render.atMs, readyAtMs) };
    case 'failed':
      return { status: 'failed', code: 'render_failed', message: render.message, atMs: render.atMs };
  }
}

/** Returns whether the job must be rendered despite its faults. */
export function needsRender(script: readonly JobFault[]): boolean {
  return !script.some(({ kind }) => ['fail', 'cancel', 'expire', 'stall'].includes(kind));
}

/** Returns the video object of OpenAI's wire, with all documented fields. */
export function presentVideo(job: VideoJob): Record<string, unknown> {
  const state = stateOf(job);
  return {
    id: job.id,
    object: 'video',
    model: job.request.model.id,
    status: state.status,
    progress: state.status === 'completed' ? 100 : 'progress' in state ? state.progress : 0,
    created_at: seconds(job.createdAtMs),
    completed_at: state.status === 'completed' ? seconds(state.atMs) : null,
    expires_at: 'atMs' in state ? seconds(job.createdAtMs + RETENTION_MS) : null,
    prompt: job.request.prompt === '' ? null : job.request.prompt,
    size: `${job.request.width}x${job.request.height}`,
    seconds: `${job.request.durationSeconds}`,
    remixed_from_video_id: job.remixedFrom ?? null,
    error: state.status === 'failed' ? { code: state.code, message: state.message } : null,
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
