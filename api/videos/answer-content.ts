/** Answers with the bytes of an output: all of them, or one range. */
import type { videoOperations } from '../../contract/videos/videos.ts';
import { AppError } from '../../domain/errors.ts';
import type { ByteRange, OpenedContent, RangeRequest } from '../../services/videos/open-output.ts';
import { isListed } from '../http/answer-conditionally.ts';
import type { Answer, Call } from '../http/route.ts';

const EXTENSIONS: Record<string, string> = {
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
};

/**
 * Answers with an output's bytes: all of them, or one range (RFC 9110, 13 and 14). `name` identifies the output. Its
 * bytes never change, so the name is also its entity tag. HEAD opens no file.
 */
export async function answerContent(
  { method, headers: requestHeaders }: Pick<Call<Content>, 'method' | 'headers'>,
  name: string,
  find: (range: RangeRequest) => Promise<OpenedContent>,
): Promise<Answer<Content>> {
  const etag = `"${name}"`;
  const isCurrent = isListed(requestHeaders['if-none-match'], etag);
  const ifRange = requestHeaders['if-range'] ?? etag;
  const wantsRange = method === 'GET' && !isCurrent && ifRange === etag;
  const content = await find((bytes) => (wantsRange ? requireRange(requestHeaders.range, bytes) : undefined));
  const validators = { etag, 'cache-control': 'private, no-cache' };
  if (isCurrent) return { status: 304, headers: validators };

  const { totalBytes, contentType, range } = content;
  const headers = { ...validators, ...describeFile(contentType, name), 'accept-ranges': 'bytes' };
  const body = method === 'HEAD' ? {} : { body: await content.open() };
  if (range === undefined) {
    return { status: 200, headers: { ...headers, 'content-length': String(totalBytes) }, ...body };
  }
  const partHeaders = {
    'content-range': `bytes ${range.start}-${range.end}/${totalBytes}`,
    'content-length': String(range.end - range.start + 1),
  };
  return { status: 206, headers: { ...headers, ...partHeaders }, ...body };
}

/** The operations that answer with an output. They declare the same headers and answers. */
type Content = typeof videoOperations.getVideoContent;

function requireRange(header: string | undefined, bytes: number): ByteRange | undefined {
  const range = parseByteRange(header, bytes);
  if (range !== 'unsatisfiable') return range;
  throw new AppError('range_not_satisfiable', { headers: { 'content-range': `bytes */${bytes}` } });
}

/**
 * Returns the headers of a file. The content type comes from the provider. Types other than videos are sent as an
 * opaque file, so that no foreign page or script runs under this origin.
 */
function describeFile(contentType: string, name: string): Record<string, string> {
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const extension = Object.hasOwn(EXTENSIONS, mediaType) ? EXTENSIONS[mediaType] : undefined;
  return extension === undefined
    ? {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${name}.bin"`,
      }
    : { 'content-type': mediaType, 'content-disposition': `inline; filename="${name}.${extension}"` };
}

/**
 * Parses a `Range` header for a file of `bytes` (RFC 9110, 14.2). Returns undefined if the whole file must be sent:
 * without a header, and for other units, several ranges and malformed values.
 */
export function parseByteRange(
  header: string | undefined,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') return suffixOf(Number(last), bytes);
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= bytes ? 'unsatisfiable' : { start, end };
}

/** Returns the range of a suffix. A suffix longer than the file is the whole file. */
function suffixOf(length: number, bytes: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || bytes === 0) return 'unsatisfiable';
  return { start: Math.max(0, bytes - length), end: bytes - 1 };
}
