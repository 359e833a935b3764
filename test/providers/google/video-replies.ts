/** Makes the answers and callbacks of Google's video APIs that tests change. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { jsonReply, type Reply } from '../../../upstream/reply.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The answer about an interaction with its video in base64, sent as it is made, behind another long string. */
export function inlineReply(made: Record<string, unknown>, base64: Iterable<Buffer>): Reply {
  const { steps: _, ...rest } = made;
  function* body(): Generator<Buffer> {
    yield Buffer.from(`{"steps":[{"type":"thought","signature":"${'a'.repeat(6_000)}"},`);
    yield Buffer.from('{"type":"model_output","content":[{"mime_type":"video/mp4","data":"');
    yield* base64;
    yield Buffer.from(`","type":"video"}]}],${JSON.stringify(rest).slice(1)}`);
  }
  return { ...jsonReply(200, {}), body: Readable.from(body(), { objectMode: false }) };
}

/** The headers of a callback about one interaction, with a JWT. */
export function signedByGoogle(id: string, event: object): Record<string, string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${encode({ alg: 'RS256', kid: 'key-1' })}.${encode({ aud: 'project-1', ...event })}`;
  return {
    'content-type': 'application/json',
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `${head}.${sign('sha256', Buffer.from(head), privateKey).toString('base64url')}`,
  };
}
