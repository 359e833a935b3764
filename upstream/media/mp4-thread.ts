/** Controls the worker thread that encodes clips, and replaces it when it dies. */
import { Worker } from 'node:worker_threads';
import type { ClipRequest } from './clip.ts';
import type { WorkerOrder, WorkerReport } from './mp4-worker.ts';

export interface Mp4Thread {
  /**
   * Renders one clip. Rejects with the encoder's error, with the signal's reason, or when the thread closes. If the
   * thread dies, its clip fails, and the next clip gets a new thread.
   */
  render(request: ClipRequest, signal: AbortSignal, onProgress: (done: number) => void): Promise<Uint8Array>;
  close(): Promise<void>;
}

export function createMp4Thread(): Mp4Thread {
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
