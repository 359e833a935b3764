/** Queues the clips that the local upstream renders. */
import type { ClipRequest } from './clip.ts';
import { Worker } from 'node:worker_threads';
import type { WorkerOrder, WorkerReport } from './mp4-worker.ts';

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

interface Mp4Thread {
  /**
   * Renders one clip. Rejects with the encoder's error, with the signal's reason, or when the thread closes. If the
   * thread dies, its clip fails, and the next clip gets a new thread.
   */
  render(request: ClipRequest, signal: AbortSignal, onProgress: (done: number) => void): Promise<Uint8Array>;
  close(): Promise<void>;
}

function createMp4Thread(): Mp4Thread {
  let worker: Worker | undefined;
  let onReport: (report: WorkerReport) => void = () => {};
  let onDeath: (reason: Error) => void = () => {};

  function start(): Worker {
    const started = new Worker(workerFile());
    started.on('message', (report: WorkerReport) => onReport(report));
    started.on('error', (error) => {
      worker = undefined;
      onDeath(error instanceof Error ? error : new Error(String(error)));
    });
    return started;
  }

  return {
    async render(request, signal, onProgress) {
      const thread = (worker ??= start());
      const stop = () => thread.postMessage({ kind: 'stop' } satisfies WorkerOrder);
      signal.addEventListener('abort', stop);
      try {
        return await new Promise<Uint8Array>((resolve, reject) => {
          onDeath = reject;
          onReport = (report) => {
            if (report.kind === 'progress') onProgress(report.done);
            else if (report.kind === 'finished') resolve(report.mp4);
            else reject(report.kind === 'stopped' ? signal.reason : new Error(report.message));
          };
          thread.postMessage({ kind: 'render', request } satisfies WorkerOrder);
        });
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    async close() {
      onDeath(new Error('the renderer is closed'));
      await worker?.terminate();
    },
  };
}

/** Returns the worker's file beside this one: `.ts` from source, `.js` once compiled. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./mp4-worker.${extension}`, import.meta.url);
}
