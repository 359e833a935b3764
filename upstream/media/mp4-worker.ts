/** Encodes one clip at a time in a worker thread, so that the server answers meanwhile. Reports progress and files. */
import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { type Clip, type ClipRequest, createClip, FRAME_RATE } from './clip.ts';
import encoderModule, { type H264MP4Encoder } from 'h264-mp4-encoder';
import { completeMp4 } from './complete-mp4.ts';

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

interface EncodeHooks {
  /** Receives the progress, 0 to 1. The encoding stops if it returns false. */
  onProgress(done: number): boolean;
}

const FRAMES_BETWEEN_HOOKS = 12;
const FRAMES_PER_KEY_FRAME = 2 * FRAME_RATE;
/** The quantizer from 10 to 51, lower is better. Chosen by the look of gradients and small text. */
const QUANTIZER = 22;
/** The speed from 0 to 10. 10 is three times faster than 0 at the same file size. */
const SPEED = 10;

/**
 * Returns an H.264 (Baseline, 4:2:0) MP4 of the clip, or null if it was stopped. It blocks its thread, and a thread can
 * encode only one clip at a time: the encoder's file system is shared.
 */
async function encodeMp4(request: ClipRequest, hooks: EncodeHooks): Promise<Uint8Array | null> {
  const clip = await createClip(request);
  const encoder = await encoderModule.createH264MP4Encoder();
  try {
    encoder.width = request.width;
    encoder.height = request.height;
    encoder.frameRate = FRAME_RATE;
    encoder.quantizationParameter = QUANTIZER;
    encoder.speed = SPEED;
    encoder.groupOfPictures = FRAMES_PER_KEY_FRAME;
    encoder.initialize();
    const complete = await addFrames(encoder, clip, hooks);
    encoder.finalize();
    if (!complete) return null;
    return completeMp4(encoder.FS.readFile(encoder.outputFilename), clip.frames, FRAMES_PER_KEY_FRAME);
  } finally {
    encoder.delete();
  }
}

/** Adds the frames of a clip. Returns false if the hook stopped it. */
async function addFrames(encoder: H264MP4Encoder, clip: Clip, hooks: EncodeHooks): Promise<boolean> {
  for (let frame = 0; frame < clip.frames; frame += 1) {
    encoder.addFrameRgba(clip.draw(frame).data);
    if (frame % FRAMES_BETWEEN_HOOKS !== 0) continue;
    // Lets the thread receive the order to stop.
    await new Promise((resolve) => setImmediate(resolve));
    if (!hooks.onProgress(frame / clip.frames)) return false;
  }
  return true;
}
