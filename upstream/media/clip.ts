/** Draws the frames of a clip for the local upstream. */
import sharp, { type Sharp } from 'sharp';
import { blend, copyWindow, createPixels, fadeTo, type Pixels, visiblePixels, zoomInto } from './pixels.ts';
import { createPalette, createRandom } from './palette.ts';
import { drawBackdrop, drawBar, drawText, type Scene } from './scene.ts';

/** The inputs of a clip. The same request gives the same file. */
export interface ClipRequest {
  /** The model's name, shown in the picture. */
  model: string;
  prompt: string;
  width: number;
  height: number;
  durationSeconds: number;
  seed: number;
  /** Encoded images (PNG, JPEG, WebP), scaled to cover the frame. */
  firstFrame?: Uint8Array | undefined;
  lastFrame?: Uint8Array | undefined;
  /** The time at which the motion starts: a continuation starts at the end of its source. */
  startSeconds: number;
}

export const FRAME_RATE = 24;

export interface Clip {
  frames: number;
  /** Draws one frame into a buffer that the next call overwrites. */
  draw(frame: number): Pixels;
}

interface Layers {
  backdrop: (seconds: number, progress: number, target: Pixels) => void;
  text: Pixels;
  bar: Pixels;
}

const REVEAL_SECONDS = 0.7;
const ZOOM = 0.12;

/** Rasterizes the still layers of a clip; drawing a frame then only moves and blends them. */
export async function createClip(request: ClipRequest): Promise<Clip> {
  const frames = Math.max(1, Math.round(request.durationSeconds * FRAME_RATE));
  const layers = await createLayers(request);
  const textPixels = visiblePixels(layers.text);
  const barPixels = visiblePixels(layers.bar);
  const target = createPixels(request.width, request.height);
  const rise = Math.round(request.height * 0.04);
  return {
    frames,
    draw(frame) {
      const seconds = frame / FRAME_RATE;
      const progress = frames === 1 ? 1 : frame / (frames - 1);
      const left = request.durationSeconds * (1 - progress);
      const shown = easeOut(seconds / REVEAL_SECONDS);
      const kept = request.lastFrame === undefined ? 1 : easeOut(left / REVEAL_SECONDS);
      layers.backdrop(seconds + request.startSeconds, progress, target);
      blend(layers.text, textPixels, target, Math.min(shown, kept), Math.round((1 - shown) * rise));
      const reached = progress * request.width * 4;
      const filled = barPixels.filter((at) => at % (request.width * 4) <= reached);
      blend(layers.bar, filled, target, Math.min(shown, kept), 0);
      return target;
    },
  };
}

async function createLayers(request: ClipRequest): Promise<Layers> {
  const random = createRandom(`${request.seed}`);
  const palette = createPalette(random);
  const scene: Scene = {
    width: request.width,
    height: request.height,
    prompt: request.prompt,
    label: `${request.model} · drawn locally, not generated`,
    footnote: `${request.width}×${request.height} · ${request.durationSeconds} s · seed ${request.seed}`,
    overPicture: request.firstFrame !== undefined || request.lastFrame !== undefined,
    palette,
  };
  const [drift, first, last, text, bar] = await Promise.all([
    rasterize(drawBackdrop(scene, random)),
    request.firstFrame && decode(request.firstFrame, request),
    request.lastFrame && decode(request.lastFrame, request),
    rasterize(drawText(scene)),
    rasterize(drawBar(scene)),
  ]);
  const phase = { x: random() * 2 * Math.PI, y: random() * 2 * Math.PI };
  const backdrop: Layers['backdrop'] = (seconds, progress, target) => {
    if (first !== undefined) zoomInto(first, 1 + ZOOM * progress, target);
    else driftOver(drift, seconds, phase, target);
    if (last !== undefined) fadeTo(target, last, easeOut((progress - 0.6) / 0.4));
  };
  return { backdrop, text, bar };
}

/** Moves the frame on a slow ellipse over the larger backdrop. */
function driftOver(source: Pixels, seconds: number, phase: { x: number; y: number }, target: Pixels): void {
  const slackX = source.width - target.width;
  const slackY = source.height - target.height;
  const x = Math.round(slackX * (0.5 + 0.5 * Math.sin((2 * Math.PI * seconds) / 13 + phase.x)));
  const y = Math.round(slackY * (0.5 + 0.5 * Math.sin((2 * Math.PI * seconds) / 9 + phase.y)));
  copyWindow(source, x, y, target);
}

async function rasterize(svg: string): Promise<Pixels> {
  return pixelsOf(sharp(Buffer.from(svg)));
}

async function decode(image: Uint8Array, size: { width: number; height: number }): Promise<Pixels> {
  return pixelsOf(sharp(image).rotate().resize(size.width, size.height, { fit: 'cover' }).flatten());
}

async function pixelsOf(image: Sharp): Promise<Pixels> {
  const { data, info } = await image
    .toColorspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Returns a progress from 0 to 1 that is fast at first; clamped outside. */
function easeOut(value: number): number {
  const clamped = Math.min(1, Math.max(0, value));
  return 1 - (1 - clamped) ** 3;
}
