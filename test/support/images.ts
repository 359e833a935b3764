import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { type ImageEventBody, imageEvent, type ImagesResultBody } from '../../contract/live/image-result.ts';
import { type Caller, createCaller } from './caller.ts';
import type { Gateway } from './gateway.ts';

/** Small, so that drawing it costs nothing. */
export const SMALL = '128x128';

/** `POST /images` with the regular key; the answer is held against the contract. */
export function askImages(
  { origin, apiKey }: Gateway,
  body: object,
  caller: Caller = createCaller(origin, apiKey),
): Promise<Response> {
  const request = { model: 'local/image-1', prompt: 'A lighthouse', size: SMALL, ...body };
  return caller.call('POST', '/images', { body: request });
}

/** The answer of a request that must succeed without a stream. */
export async function madeImages(response: Response): Promise<ImagesResultBody> {
  const text = await response.text();
  strictEqual(response.status, 200, text);
  return JSON.parse(text) as ImagesResultBody;
}

/** A whole stream: every event held against the contract, and `[DONE]` at its end. */
export async function readImageEvents(response: Response): Promise<ImageEventBody[]> {
  strictEqual(response.status, 200);
  strictEqual(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const events = (await response.text()).split('\n\n');
  strictEqual(events.pop(), '', 'the last event is whole');
  strictEqual(events.pop(), 'data: [DONE]');
  return events.map((event) => {
    strictEqual(event.slice(0, 6), 'data: ');
    const data = JSON.parse(event.slice(6)) as ImageEventBody;
    deepStrictEqual(imageEvent.parse(data), data);
    return data;
  });
}

/** The event that finishes a stream's last picture. */
export function lastPicture(events: ImageEventBody[]) {
  const last = events.findLast((event) => event.type === 'image_generation.completed');
  if (last?.type !== 'image_generation.completed') throw new Error('no picture was finished');
  return last;
}

/** Width, height and format, from the bytes themselves. */
export function describePicture(b64: string): { format: string; width: number; height: number } {
  const bytes = Buffer.from(b64, 'base64');
  if (bytes.subarray(1, 4).toString('latin1') === 'PNG') {
    return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.subarray(8, 12).toString('latin1') === 'WEBP') return { format: 'webp', width: 0, height: 0 };
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return { format: 'jpeg', width: 0, height: 0 };
  const size = /^<svg [^>]*width="(\d+)" height="(\d+)"/.exec(bytes.toString('utf8'));
  if (size === null) throw new Error('no picture');
  return { format: 'svg', width: Number(size[1]), height: Number(size[2]) };
}
