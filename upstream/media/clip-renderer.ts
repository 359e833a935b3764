/** Queues the clips that the local upstream renders. */
import type { ClipRequest } from './clip.ts';
import { createMp4Thread } from './mp4-thread.ts';

export interface RenderHooks {
  /** Stops the encoding, or removes the clip from the queue. The promise rejects with the signal's reason. */
  signal: AbortSignal;
  onStart(): void;
  /** Receives the progress, 0 to 1. */
  onProgress(done: number): void;
}

/** Encodes clips as MP4 files on a separate thread, one at a time, in order of arrival. */
export interface ClipRenderer {
  /** True: the queue is full. */
  readonly isFull: boolean;
  render(request: ClipRequest, hooks: RenderHooks): Promise<Uint8Array>;
  close(): Promise<void>;
}

export function createClipRenderer(options: { maxWaiting: number }): ClipRenderer {
  const thread = createMp4Thread();
  const closing = new AbortController();
  let waiting = 0;
  /** Settles when the previous clip has left the thread. */
  let previous: Promise<unknown> = Promise.resolve();

  return {
    get isFull() {
      return waiting >= options.maxWaiting;
    },
    async render(request, { signal, onStart, onProgress }) {
      const turn = previous;
      const stopped = AbortSignal.any([signal, closing.signal]);
      const run = async () => {
        waiting += 1;
        await turn.catch(() => {});
        waiting -= 1;
        stopped.throwIfAborted();
        onStart();
        return thread.render(request, stopped, onProgress);
      };
      const result = run();
      previous = result;
      return result;
    },
    async close() {
      closing.abort(new Error('the renderer is closed'));
      await thread.close();
    },
  };
}
