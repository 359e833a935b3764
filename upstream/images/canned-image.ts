/** Provides image answers that are computed once, for benchmarks of the gateway. */
import { crc32, deflateSync } from 'node:zlib';
import { type CannedAnswer, createCannedAnswers, IF_STREAMED, toCannedAnswer } from '../canned-answer.ts';
import { createRandom } from '../media/palette.ts';
import { toNamedEvent } from '../server-sent-event.ts';

export const IMAGES_PATH = '/v1/images/generations';
export const CANNED_IMAGE_MODEL = 'image-canned';

/** The side of a picture of noise, which no format compresses: about 50 kB. */
const SIDE = 128;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The colour settings of the PNG: eight bits per channel, red, green and blue, not interlaced. */
const COLOR_FACTS = Buffer.from([8, 2, 0, 0, 0]);

const PICTURE = noisePng(SIDE).toString('base64');
const FACTS = { background: 'opaque', output_format: 'png', quality: 'auto', size: `${SIDE}x${SIDE}` };
const USAGE = {
  input_tokens: 12,
  input_tokens_details: { text_tokens: 12, image_tokens: 0 },
  output_tokens: 16,
  total_tokens: 28,
};

const WHOLE = toCannedAnswer(
  'application/json',
  Buffer.from(JSON.stringify({ created: 0, ...FACTS, data: [{ b64_json: PICTURE }], usage: USAGE })),
);

/** A stream of two drafts and the picture. */
const STREAMED = toCannedAnswer(
  'text/event-stream; charset=utf-8',
  Buffer.from(
    [
      { type: 'image_generation.partial_image', partial_image_index: 0 },
      { type: 'image_generation.partial_image', partial_image_index: 1 },
      { type: 'image_generation.completed', usage: USAGE },
    ]
      .map((event) => ({ ...event, b64_json: PICTURE, created_at: 0, ...FACTS }))
      .map(toNamedEvent)
      .join(''),
  ),
);

export const CANNED_IMAGES = createCannedAnswers('images', CANNED_IMAGE_MODEL, {
  usual: WHOLE,
  marks: IF_STREAMED,
  marked: STREAMED,
});

/** Returns the precomputed answer for every prompt. */
export function cannedImages(streamed: boolean): CannedAnswer {
  return streamed ? STREAMED : WHOLE;
}

function noisePng(side: number): Buffer {
  const random = createRandom('canned image');
  const row = 1 + side * 3;
  const pixels = Buffer.alloc(side * row);
  // The first byte of each row says that it is not filtered.
  for (let at = 0; at < pixels.length; at += 1) if (at % row !== 0) pixels[at] = Math.floor(random() * 256);
  const size = Buffer.alloc(8);
  size.writeUInt32BE(side, 0);
  size.writeUInt32BE(side, 4);
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', Buffer.concat([size, COLOR_FACTS])),
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a PNG chunk: length, name, data, and the checksum of name and data. */
function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
