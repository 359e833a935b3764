import type { ClipRequest } from './clip.ts';
import { createMp4Thread } from './mp4-thread.ts';

export interface RenderHooks {
  /** Stops the encoding, or lets its turn pass; the promise then rejects with the signal's reason. */
  signal: AbortSignal;
  onStart(): void;
  /** The share done, 0 to 1. */
  onProgress(done: number): void;
}

/** Turns clips into MP4 files on a thread of its own, one at a time, first come first served. */
export interface ClipRenderer {
  /** As many wait as may. */
  readonly isFull: boolean;
  render(request: ClipRequest, hooks: RenderHooks): Promise<Uint8Array>;
  close(): Promise<void>;
}

export function createClipRenderer(options: { maxWaiting: number }): ClipRenderer {
  const thread = createMp4Thread();
  const closing = new AbortController();
  let waiting = 0;
  /** Settles when the clip before has left the thread, however it ended. */
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
