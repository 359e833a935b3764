/** Defines the access to Google's APIs of videos, and downloads what they keep as files or put into a bucket. */
import type { CallContext } from '../../call-context.ts';
import type { ProviderHttp } from '../../http.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import type { OutboundFetch } from '../../reference-media.ts';
import { openRequestedFile, openResultUrl } from '../../result-url.ts';
import { invalidResponse } from '../../transport-failure.ts';
import type { OpenedOutput } from '../../video-adapter.ts';

export interface VideoAccess extends Pick<ProviderSettings, 'baseUrl' | 'outbound' | 'timeouts'> {
  http: ProviderHttp;
  /** Opens a video outside of the answer that names its location. Throws ProviderError. */
  open(location: string, context: CallContext): Promise<OpenedOutput>;
}

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

/** Returns a function that opens files of Google's with the key, and all other addresses without it. */
export function createFileOpener(
  http: ProviderHttp,
  baseUrl: string,
  outbound: OutboundFetch,
): VideoAccess['open'] {
  return async (url, context) => {
    const path = filePathOf(url, baseUrl);
    if (path === undefined) return openResultUrl(url, MAX_REDIRECTS, outbound, context);
    const answer = await http.openFile(`${path}:download?alt=media`, context);
    return openRequestedFile(answer, outbound, context);
  };
}

/** Returns the base URL of the JSON API of Cloud Storage. Another server than Google's has it below its own address. */
export function storageUrlOf(vertexUrl: string): string {
  const { hostname, origin } = new URL(vertexUrl);
  return `${hostname.endsWith('.googleapis.com') ? 'https://storage.googleapis.com' : origin}/storage/v1`;
}

/** Returns a function that opens objects such as `gs://bucket/name.mp4`, and refuses all other locations. */
export function createObjectOpener(storage: ProviderHttp, outbound: OutboundFetch): VideoAccess['open'] {
  return async (location, context) => {
    const [, bucket, name] = OBJECT.exec(location) ?? [];
    if (bucket === undefined || name === undefined)
      throw invalidResponse(200, new Error('a location outside of a bucket'));
    const answer = await storage.openFile(`b/${bucket}/o/${encodeURIComponent(name)}?alt=media`, context);
    return openRequestedFile(answer, outbound, context);
  };
}
