/** Downloads videos that Google keeps as files. */
import type { CallContext } from '../../call-context.ts';
import { openedVideo } from '../../file-body.ts';
import type { FileAnswer, ProviderHttp } from '../../http.ts';
import type { OutboundFetch } from '../../reference-media.ts';
import { openResultUrl } from '../../result-url.ts';
import { invalidResponse } from '../../transport-failure.ts';
import type { OpenedOutput } from '../../video-adapter.ts';

const GOOGLE_HOST = 'generativelanguage.googleapis.com';
const FILE_PATH = /\/(files\/[\w-]{1,200})(?::download)?$/;
const MAX_REDIRECTS = 3;

export interface FileAccess {
  http: ProviderHttp;
  baseUrl: string;
  outbound: OutboundFetch;
}

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
  { http, baseUrl, outbound }: FileAccess,
  context: CallContext,
): Promise<OpenedOutput> {
  const path = filePathOf(url, baseUrl);
  if (path === undefined) return openResultUrl(url, MAX_REDIRECTS, outbound, context);
  return opened(await http.openFile(`${path}:download?alt=media`, context), outbound, context);
}

/** Returns a file that was requested with a credential. A redirect is followed without it, through the guard. */
export async function opened(
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
