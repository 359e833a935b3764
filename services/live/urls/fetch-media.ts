/** Downloads the media that a request names by URL, for upstreams that must not fetch URLs themselves. */
import { AppError } from '../../../domain/errors.ts';
import { HOPS_HEADER } from '../../../domain/hops.ts';
import { OutboundResponseTooLargeError } from '../../../platform/outbound-error.ts';
import type { OutboundGuard } from '../../../platform/outbound-guard.ts';
import { loadTogether } from '../../../providers/load-together.ts';
import { aborted } from '../../../providers/text-exchange.ts';
import { UnsupportedFieldsError } from '../../../domain/unsupported-fields.ts';
import type { LiveCall } from '../live-call.ts';
import { mediaTypeOf } from './media-type.ts';
import type { MediaKind } from '../prompt/media-fields.ts';
import type { UrlPlace } from './url-places.ts';

/** The media behind a URL. */
export interface FetchedMedia {
  mediaType: string;
  base64: string;
}

const MAX_URLS = 16;
const MAX_BYTES = 20 * 1024 ** 2;
const TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 3;

/** The headers of each fetch. Some hosts refuse clients without a user agent. */
const HEADERS = { 'user-agent': 'sluice' };

const NOUNS: Record<MediaKind, string> = {
  image: 'an image',
  video: 'a video',
  audio: 'sound',
  file: 'a file',
};

/**
 * Fetches the media that a request names by URL, in their order, through the outbound guard. Fetched bytes count as if
 * the caller had sent them in base64. Throws UnsupportedFieldsError with the place of a URL that cannot be fetched,
 * because a vendor may still fetch it.
 */
export async function fetchMedia(
  outbound: Pick<OutboundGuard, 'fetch'>,
  { signal, openMemory, client }: Pick<LiveCall<unknown>, 'signal' | 'openMemory' | 'client'>,
  places: readonly UrlPlace[],
): Promise<FetchedMedia[]> {
  const excess = places[MAX_URLS];
  if (excess)
    throw refused(excess, `is one URL too many: the limit is ${MAX_URLS} for the provider of this model`);
  const memory = openMemory();
  let bytes = 0;
  const take = (place: UrlPlace, arrived: number): void => {
    bytes += arrived;
    if (bytes > MAX_BYTES) throw tooLarge(place);
    memory.take(Math.ceil((arrived * 4) / 3));
  };
  const load = async (place: UrlPlace, within: AbortSignal): Promise<FetchedMedia> => {
    try {
      return await fetchOne(outbound, place, { client, signal: within }, (arrived) => take(place, arrived));
    } catch (error) {
      throw signal.aborted ? aborted(signal, false) : failureOf(place, error);
    }
  };
  return loadTogether(places, load, signal);
}

async function fetchOne(
  outbound: Pick<OutboundGuard, 'fetch'>,
  { url, kind }: UrlPlace,
  { client: { hops }, signal }: Pick<LiveCall<unknown>, 'client' | 'signal'>,
  take: (bytes: number) => void,
): Promise<FetchedMedia> {
  const answer = await outbound.fetch(url, {
    signal,
    headers: hops === undefined ? HEADERS : { ...HEADERS, [HOPS_HEADER]: hops },
    timeoutMs: TIMEOUT_MS,
    maxRedirects: MAX_REDIRECTS,
    maxResponseBytes: MAX_BYTES,
  });
  const chunks: Buffer[] = [];
  if (answer.status !== 200) {
    answer.body.destroy();
    throw new Error(`answered ${answer.status}`);
  }
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    take(chunk.length);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const mediaType = bytes.length === 0 ? undefined : mediaTypeOf(bytes, answer.headers['content-type'], kind);
  if (mediaType === undefined) throw new Error(`answered no ${kind}`);
  return { mediaType, base64: bytes.toString('base64') };
}

/**
 * Returns the same message for most failures, because different messages would reveal which internal addresses answer.
 */
function failureOf(place: UrlPlace, error: unknown): Error {
  if (error instanceof UnsupportedFieldsError || error instanceof AppError) return error;
  if (error instanceof OutboundResponseTooLargeError) return tooLarge(place);
  return refused(place, `could not be fetched as ${NOUNS[place.kind]}`);
}

function tooLarge(place: UrlPlace): UnsupportedFieldsError {
  const limit = `${MAX_BYTES / 1024 ** 2} MiB`;
  return refused(place, `leads to more than the ${limit} that all URLs of a request may have together`);
}

function refused({ path }: UrlPlace, message: string): UnsupportedFieldsError {
  return new UnsupportedFieldsError([{ path: `body.${path.join('.')}`, message }]);
}
