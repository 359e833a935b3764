/** Draws the background, text and progress bar of a clip as SVG. */
import { createGlyphs } from './glyphs.ts';
import type { Palette, Random } from './palette.ts';
import { fitText } from './text-block.ts';

/** The content of a clip. The two still layers are drawn once, and `clip.ts` moves them. */
export interface Scene {
  width: number;
  height: number;
  prompt: string;
  /** The small line above the prompt, which names the generator of the clip. */
  label: string;
  /** The small line at the bottom, such as the size and the seed. */
  footnote: string;
  /** True: the clip shows a picture, so the text moves to the lower third, on a shade. */
  overPicture: boolean;
  palette: Palette;
}

/** The size of the backdrop relative to the frame, which moves over it. */
const BACKDROP_SCALE = 1.4;

const headline = createGlyphs(500);
const small = createGlyphs(400);

/** Draws three soft glows on a dark background. */
export function drawBackdrop(scene: Scene, random: Random): string {
  const width = Math.round(scene.width * BACKDROP_SCALE);
  const height = Math.round(scene.height * BACKDROP_SCALE);
  const reach = Math.max(width, height);
  const glows = scene.palette.glows.map((color, index) => {
    const x = width * (0.12 + 0.38 * index + 0.1 * random());
    const y = height * (0.1 + 0.8 * random());
    const radius = reach * (0.34 + 0.16 * random());
    return { id: `glow${index}`, color, x, y, radius };
  });
  const gradients = glows.map(
    ({ id, color, x, y, radius }) =>
      `<radialGradient id="${id}" gradientUnits="userSpaceOnUse" cx="${x}" cy="${y}" r="${radius}">` +
      `<stop offset="0" stop-color="${color}"/>` +
      `<stop offset="0.5" stop-color="${color}" stop-opacity="0.42"/>` +
      `<stop offset="1" stop-color="${color}" stop-opacity="0"/></radialGradient>`,
  );
  const fills = glows.map(({ id }) => `<rect width="${width}" height="${height}" fill="url(#${id})"/>`);
  return svg(
    width,
    height,
    `<defs>${gradients.join('')}</defs>` +
      `<rect width="${width}" height="${height}" fill="${scene.palette.ground}"/>${fills.join('')}`,
  );
}

/** Draws the text on a transparent background. */
export function drawText(scene: Scene): string {
  const { width, height, palette } = scene;
  const unit = Math.min(width, height);
  const margin = Math.round(unit * 0.09);
  const labelSize = Math.max(9, unit * 0.036);
  const top = scene.overPicture ? height * 0.56 : height * 0.17;
  const bottom = height - margin - labelSize * 2.6;
  const block = fitText(
    scene.prompt,
    {
      width: width - 2 * margin,
      height: bottom - top - labelSize * 2,
      maxFontSize: unit * (scene.overPicture ? 0.095 : 0.135),
      minFontSize: Math.max(9, unit * 0.04),
    },
    headline,
  );
  const blockHeight = block.lines.length * block.lineHeight;
  const slack = bottom - top - labelSize * 2 - blockHeight;
  const start = top + (scene.overPicture ? slack : slack / 2);
  const lines = block.lines.map((line, index) =>
    headline.outline(
      line,
      margin,
      start + labelSize * 2 + index * block.lineHeight + block.fontSize * 0.9,
      block.fontSize,
    ),
  );
  const shade = scene.overPicture
    ? `<defs><linearGradient id="shade" x1="0" y1="0" x2="0" y2="1"><stop offset="0.3" stop-opacity="0"/>` +
      `<stop offset="1" stop-opacity="0.82"/></linearGradient></defs>` +
      `<rect width="${width}" height="${height}" fill="url(#shade)"/>`
    : '';
  return svg(
    width,
    height,
    shade +
      `<path fill="${palette.accent}" d="${small.outline(scene.label, margin, start + labelSize, labelSize)}"/>` +
      lines.map((line) => `<path fill="#fff" d="${line}"/>`).join('') +
      `<path fill="#fff" fill-opacity="0.72" d="${small.outline(
        scene.footnote,
        margin,
        height - margin - labelSize * 0.2,
        labelSize,
      )}"/>`,
  );
}

/** Draws the full progress bar at the bottom; each frame shows it up to its progress. */
export function drawBar(scene: Scene): string {
  const { width, height, palette } = scene;
  const thickness = Math.max(3, Math.round(Math.min(width, height) * 0.014));
  return svg(
    width,
    height,
    `<rect y="${height - thickness}" width="${width}" height="${thickness}" fill="${palette.accent}"/>`,
  );
}

function svg(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
}
