/** Checks that a downloaded file is a video, and converts its stream errors. */
import { PassThrough, type Readable } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import type { OpenedOutput } from './video-adapter.ts';
import { invalidResponse, transportFailure } from './transport-failure.ts';

/** Further types that vendors and object stores use for video. */
const UNNAMED_TYPES = new Set(['application/octet-stream', 'binary/octet-stream', 'application/mp4']);

/**
 * Prepares a vendor's file for reading. The body is not buffered and fails with ProviderError, and the type is a video
 * type. Throws ProviderError `invalid_response` for other files, such as a page or an error.
 */
export function openedVideo(
  answer: { status: number; headers: IncomingHttpHeaders; body: Readable },
  signal: AbortSignal,
): OpenedOutput {
  const contentType = videoType(answer.headers['content-type']);
  if (contentType === undefined) {
    answer.body.on('error', () => {}).destroy();
    throw invalidResponse(answer.status, new Error('a file that is not a video'));
  }
  const length = answer.headers['content-length'];
  return {
    body: withProviderErrors(answer.body, signal),
    contentType,
    bytes: length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined,
  };
}

function videoType(header: string | undefined): string | undefined {
  const [type = ''] = (header ?? 'application/octet-stream').toLowerCase().split(';');
  if (UNNAMED_TYPES.has(type.trim())) return 'video/mp4';
  return type.trim().startsWith('video/') ? type.trim() : undefined;
}

function withProviderErrors(source: Readable, signal: AbortSignal): Readable {
  const target = new PassThrough();
  source.once('error', (error) => target.destroy(transportFailure(error, { signal })));
  target.once('close', () => source.on('error', () => {}).destroy());
  // The caller may drop the file: its later failure must not end the process.
  target.on('error', () => {});
  return source.pipe(target);
}
