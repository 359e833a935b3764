import encoderModule, { type H264MP4Encoder } from 'h264-mp4-encoder';
import { type Clip, type ClipRequest, createClip, FRAME_RATE } from './clip.ts';
import { completeMp4 } from './complete-mp4.ts';

export interface EncodeHooks {
  /** Called now and then with the share done, 0 to 1; the encoding stops when it answers false. */
  onProgress(done: number): boolean;
}

const FRAMES_BETWEEN_HOOKS = 12;
const FRAMES_PER_KEY_FRAME = 2 * FRAME_RATE;
/** 10 to 51, lower is better; chosen by looking at gradients and small text. */
const QUANTIZER = 22;
/** 0 to 10; 10 is three times faster than 0 at the same size of file. */
const SPEED = 10;

/**
 * An H.264 (Baseline, 4:2:0) MP4 of the clip, or null when it was told to stop. Keeps its thread busy, and
 * one thread can encode only one clip at a time: the encoder's file system is shared.
 */
export async function encodeMp4(request: ClipRequest, hooks: EncodeHooks): Promise<Uint8Array | null> {
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

/** Whether all frames were added: not when the hook told it to stop. */
async function addFrames(encoder: H264MP4Encoder, clip: Clip, hooks: EncodeHooks): Promise<boolean> {
  for (let frame = 0; frame < clip.frames; frame += 1) {
    encoder.addFrameRgba(clip.draw(frame).data);
    if (frame % FRAMES_BETWEEN_HOOKS !== 0) continue;
    // Lets the thread hear that it should stop.
    await new Promise((resolve) => setImmediate(resolve));
    if (!hooks.onProgress(frame / clip.frames)) return false;
  }
  return true;
}
