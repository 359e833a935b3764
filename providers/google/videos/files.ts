/** Downloads videos that Google keeps as files, or puts into a bucket. */
import type { CallContext } from '../../call-context.ts';
import { openedVideo } from '../../file-body.ts';
import {
  createProviderHttp,
  type FileAnswer,
  type ProviderHttp,
  type ProviderHttpOptions,
} from '../../http.ts';
import type { OutboundFetch } from '../../reference-media.ts';
import { openResultUrl } from '../../result-url.ts';
import { invalidResponse } from '../../transport-failure.ts';
import type { OpenedOutput } from '../../video-adapter.ts';

const GOOGLE_HOST = 'generativelanguage.googleapis.com';
const FILE_PATH = /\/(files\/[\w-]{1,200})(?::download)?$/;
const OBJECT = /^gs:\/\/([a-z0-9._-]{3,222})\/(.+)$/;
const MAX_REDIRECTS = 3;

/**
 * Returns the path of a file below the base URL, such as `files/abc`; undefined for an address at any other host than
 * Google's or the one of the base URL. The key is sent to no other host.
 */
export function filePathOf(url: string, baseUrl: string): string | undefined {
  const parsed = URL.parse(url);
  const isKnown = parsed?.host === new URL(baseUrl).host || parsed?.host === GOOGLE_HOST;
  return isKnown ? FILE_PATH.exec(parsed.pathname)?.[1] : undefined;
}

/** Opens the file at an address, with the key if it is a file of Google's. Throws ProviderError. */
export async function openFile(
  url: string,
  { http, baseUrl, outbound }: { http: ProviderHttp; baseUrl: string; outbound: OutboundFetch },
  context: CallContext,
): Promise<OpenedOutput> {
  const path = filePathOf(url, baseUrl);
  if (path === undefined) return openResultUrl(url, MAX_REDIRECTS, outbound, context);
  return opened(await http.openFile(`${path}:download?alt=media`, context), outbound, context);
}

/**
 * Opens an object such as `gs://bucket/name.mp4` with the project's token, over the JSON API of Cloud Storage. Another
 * server than Google's has it below its own address. Throws ProviderError, also for any other location.
 */
export async function openBucketObject(
  location: string,
  vertexUrl: string,
  { outbound, ...options }: Omit<ProviderHttpOptions, 'baseUrl'> & { outbound: OutboundFetch },
  context: CallContext,
): Promise<OpenedOutput> {
  const [, bucket, name] = OBJECT.exec(location) ?? [];
  if (bucket === undefined || name === undefined)
    throw invalidResponse(200, new Error('a location outside of a bucket'));
  const { hostname, origin } = new URL(vertexUrl);
  const storage = hostname.endsWith('.googleapis.com') ? 'https://storage.googleapis.com' : origin;
  const http = createProviderHttp({ ...options, baseUrl: `${storage}/storage/v1` });
  const path = `b/${bucket}/o/${encodeURIComponent(name)}?alt=media`;
  return opened(await http.openFile(path, context), outbound, context);
}

/** Returns a file that was requested with a credential. A redirect is followed without it, through the guard. */
async function opened(
  answer: FileAnswer,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<OpenedOutput> {
  if (answer.status < 300) return openedVideo(answer, context.signal);
  answer.body.on('error', () => {}).destroy();
  const target = URL.parse(answer.headers.location ?? '', answer.url);
  if (target === null) throw invalidResponse(answer.status, new Error('a redirect without a location'));
  return openResultUrl(target.href, MAX_REDIRECTS - 1, outbound, context);
}
