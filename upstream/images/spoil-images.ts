/** Makes image answers of the local upstream faulty on request. */
import { Readable } from 'node:stream';
import { filler } from '../filler.ts';
import type { ImageFault } from '../image-faults.ts';
import { jsonReply, type Reply, streamedReply } from '../reply.ts';

/** Applies a fault to an answer. */
export function spoilImages(fault: ImageFault, reply: Reply, signal: AbortSignal): Reply {
  return fault.kind === 'fewer-images' ? withFewer(fault.images, reply) : withLarge(fault, reply, signal);
}

interface Answer {
  data: unknown[];
  usage: { input_tokens: number; output_tokens: number };
  [field: string]: unknown;
}

function withFewer(images: number, reply: Reply): Reply {
  if (reply.events === undefined) {
    const answer = JSON.parse(textOf(reply)) as Answer;
    const { input_tokens: input, output_tokens: all } = answer.usage;
    const output = (all / answer.data.length) * images;
    const usage = { ...answer.usage, output_tokens: output, total_tokens: input + output };
    return jsonReply(200, { ...answer, data: answer.data.slice(0, images), usage });
  }
  let completed = 0;
  const events = reply.events.filter((event) => {
    const isIn = completed < images;
    if (String(event).includes('.completed"')) completed += 1;
    return isIn;
  });
  return streamedReply(events, reply.headers);
}

const FIELD = '"b64_json":"';

/** Returns the answer with a very large picture, generated as it is read, so that a slow reader uses no memory. */
function withLarge(
  { bytes, stallsAfter }: Extract<ImageFault, { kind: 'large-image' }>,
  reply: Reply,
  signal: AbortSignal,
): Reply {
  const text = textOf(reply);
  const start = text.lastIndexOf(FIELD) + FIELD.length;
  const end = text.indexOf('"', start);
  async function* pieces(): AsyncGenerator<string | Buffer> {
    yield text.slice(0, start);
    yield* filler(stallsAfter ?? bytes, 'A');
    if (stallsAfter !== undefined) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return;
    }
    yield text.slice(end);
  }
  const { 'content-length': _, ...headers } = reply.headers;
  return { status: 200, headers, body: Readable.from(pieces(), { objectMode: false }) };
}

function textOf({ events, body }: Reply): string {
  return events?.map(String).join('') ?? Buffer.from(body as Uint8Array).toString('utf8');
}
