import { Readable } from 'node:stream';
import { ProviderError } from '../../domain/provider-error.ts';
import type { OpenedOutput } from '../../providers/video-adapter.ts';

const SNIFF_BYTES = 12;

/**
 * Reads the first bytes to find the file's real type, because an error page sent as `video/mp4` must not be stored as a
 * customer's video. Throws a retryable ProviderError for any type other than MP4 and WebM.
 */
export async function videoContentType(
  opened: OpenedOutput,
): Promise<{ body: Readable; contentType: string }> {
  const iterator = opened.body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const head: Buffer[] = [];
  let length = 0;
  while (length < SNIFF_BYTES) {
    const next = await iterator.next();
    if (next.done === true) break;
    head.push(next.value);
    length += next.value.length;
  }
  const start = Buffer.concat(head);
  const contentType = sniff(start);
  if (contentType === undefined) {
    opened.body.destroy();
    throw new ProviderError({
      code: 'invalid_response',
      sent: true,
      retryable: true,
      publicMessage: `The provider sent ${opened.contentType} that is no video`,
    });
  }
  return { body: Readable.from(rejoin(start, iterator), { objectMode: false }), contentType };
}

function sniff(start: Buffer): string | undefined {
  if (start.subarray(4, 8).toString('latin1') === 'ftyp') return 'video/mp4';
  if (start.subarray(0, 4).equals(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]))) return 'video/webm';
  return undefined;
}

async function* rejoin(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield start;
    for (;;) {
      const next = await rest.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
