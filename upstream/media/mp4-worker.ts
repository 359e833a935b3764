/** Encodes one clip at a time in a worker thread, so that the server answers meanwhile. Reports progress and files. */
import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import type { ClipRequest } from './clip.ts';
import { encodeMp4 } from './encode-mp4.ts';

/** A message to the worker thread. */
export type WorkerOrder = { kind: 'render'; request: ClipRequest } | { kind: 'stop' };
/** A message from the worker thread. */
export type WorkerReport =
  | { kind: 'progress'; done: number }
  | { kind: 'finished'; mp4: Uint8Array }
  | { kind: 'stopped' }
  | { kind: 'failed'; message: string };

// The cache is off because no layer is drawn twice. sharp's cache and threads use half a megabyte more per clip.
sharp.cache(false);
sharp.concurrency(1);

let stopRequested = false;

async function render(request: ClipRequest): Promise<WorkerReport> {
  stopRequested = false;
  try {
    const mp4 = await encodeMp4(request, {
      onProgress(done) {
        report({ kind: 'progress', done });
        return !stopRequested;
      },
    });
    return mp4 === null ? { kind: 'stopped' } : { kind: 'finished', mp4 };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function report(message: WorkerReport): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', (order: WorkerOrder) => {
  if (order.kind === 'stop') stopRequested = true;
  else void render(order.request).then(report);
});
