/** Starts the rendering of a video job of the local upstream. */
import type { ClipRequest } from '../media/clip.ts';
import type { ClipRenderer } from '../media/clip-renderer.ts';
import type { VideoJob } from './video-job.ts';

/** Renders a job and keeps `job.render` up to date. `startSeconds` is the start of its motion. */
export type StartRendering = (job: VideoJob, startSeconds: number) => void;

export function createStartRendering(renderer: ClipRenderer): StartRendering {
  let canned: Promise<Uint8Array> | undefined;

  function renderOnce(): Promise<Uint8Array> {
    canned ??= renderCanned(renderer);
    // A failed rendering is not kept, so the next job tries again.
    canned.catch(() => (canned = undefined));
    return canned;
  }

  async function render(job: VideoJob, startSeconds: number): Promise<Uint8Array> {
    if (job.request.model.canned) return renderOnce();
    const { model, ...request } = job.request;
    return renderer.render(
      { ...request, model: `local/${model.id}`, startSeconds },
      {
        signal: job.abort.signal,
        onStart: () => (job.render = { state: 'rendering', done: 0 }),
        onProgress: (done) => (job.render = { state: 'rendering', done }),
      },
    );
  }

  return (job, startSeconds) => {
    render(job, startSeconds).then(
      (mp4) => (job.render = { state: 'finished', mp4, atMs: Date.now() }),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : 'the rendering failed';
        job.render = { state: 'failed', message, atMs: Date.now() };
      },
    );
  };
}

function renderCanned(renderer: ClipRenderer): Promise<Uint8Array> {
  const request: ClipRequest = {
    model: 'local/clip-canned',
    prompt: 'A canned clip',
    width: 320,
    height: 180,
    durationSeconds: 1,
    seed: 1,
    startSeconds: 0,
  };
  const signal = new AbortController().signal;
  return renderer.render(request, { signal, onStart() {}, onProgress() {} });
}
