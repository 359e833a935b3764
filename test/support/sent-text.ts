import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { EventStream } from '../../platform/event-stream.ts';

/** All that a reader gets who takes whatever comes. Rejects where the stream fails. */
export async function sentText(stream: EventStream): Promise<string> {
  const reader = new PassThrough();
  const [got] = await Promise.all([text(reader), stream.sendTo(reader)]);
  return got;
}
