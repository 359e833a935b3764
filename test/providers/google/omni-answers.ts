import { generateKeyPairSync, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { jsonReply, type Reply } from '../../../upstream/reply.ts';
import type { JobFault } from '../../../upstream/faults.ts';
import type { InteractionBody } from './omni-wire.ts';

const TOKENS_PER_SECOND = { '360p': 1_931, '720p': 5_792, '1080p': 8_688, '4k': 17_376 };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The head of an MP4 file and some bytes more: the gateway looks at no more than that. */
export const MP4 = Buffer.concat([
  Buffer.from('000000186674797069736f6d0000020069736f6d6d703432', 'hex'),
  Buffer.alloc(4096),
]);

/** An interaction that made a video, with its file at an address. */
export function madeAnswer(
  common: object,
  body: InteractionBody,
  uri: string,
  charge: Extract<JobFault, { kind: 'charge' }> | undefined,
): Record<string, unknown> {
  return {
    ...common,
    status: 'completed',
    steps: [
      { type: 'thought', signature: 'c2lnbmVk' },
      { type: 'model_output', content: [{ type: 'video', mime_type: 'video/mp4', uri }] },
    ],
    ...(charge?.amount !== null && { usage: usageOf(body, charge?.amount) }),
  };
}

function usageOf({ response_format: format }: InteractionBody, amount: number | string | undefined): object {
  const { duration = '10s', resolution = '720p' } = format;
  const tokens = amount ?? TOKENS_PER_SECOND[resolution] * Number.parseInt(duration, 10);
  return {
    total_input_tokens: 21,
    input_tokens_by_modality: [{ modality: 'text', tokens: 21 }],
    total_output_tokens: tokens,
    output_tokens_by_modality: [{ modality: 'video', tokens }],
    total_thought_tokens: 412,
  };
}

/** The same with the video in base64, sent as it is made and before the status, behind another long string. */
export function inlineReply(made: Record<string, unknown>, base64: Iterable<Buffer>): Reply {
  const { steps: _, ...rest } = made;
  function* body(): Generator<Buffer> {
    yield Buffer.from(`{"steps":[{"type":"thought","signature":"${'a'.repeat(6_000)}"},`);
    yield Buffer.from('{"type":"model_output","content":[{"mime_type":"video/mp4","data":"');
    yield* base64;
    yield Buffer.from(`","type":"video"}]}],${JSON.stringify(rest).slice(1)}`);
  }
  const stream = Readable.from(body(), { objectMode: false });
  return { ...jsonReply(200, {}), body: stream };
}

/** The headers of a callback about one interaction, with a JWT. */
export function signedByGoogle(id: string, event: object): Record<string, string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${encode({ alg: 'RS256', kid: 'key-1' })}.${encode({ aud: 'project-1', ...event })}`;
  const signature = sign('sha256', Buffer.from(head), privateKey).toString('base64url');
  return {
    'content-type': 'application/json',
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `${head}.${signature}`,
  };
}
