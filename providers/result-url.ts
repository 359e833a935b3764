/** Opens the files that vendors made, at addresses that they chose. */
import type { CallContext } from './call-context.ts';
import type { OpenedOutput } from './video-adapter.ts';
import { openedVideo } from './file-body.ts';
import type { FileAnswer } from './http.ts';
import { readLimited } from './read-limited.ts';
import type { OutboundFetch } from './reference-media.ts';
import { invalidResponse, transportFailure } from './transport-failure.ts';
import { vendorError } from './vendor-error.ts';

const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const MAX_ERROR_BYTES = 64 * 1024;
/** The further redirects after an answer that is a redirect itself. */
const MORE_REDIRECTS = 2;

/**
 * Opens a file behind a vendor's URL. Every redirect passes the guard too, and the credential is never sent, because
 * the vendor chose the address. All failures are ProviderError.
 */
export async function openResultUrl(
  url: string,
  maxRedirects: number,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<OpenedOutput> {
  const { signal } = context;
  try {
    const answer = await outbound.fetch(url, { signal, timeoutMs: DOWNLOAD_TIMEOUT_MS, maxRedirects });
    if (answer.status >= 200 && answer.status < 300) return openedVideo(answer, signal);
    const text = await readLimited(answer.body, MAX_ERROR_BYTES, 'cut').catch(() => '');
    throw vendorError({ status: answer.status, headers: answer.headers, text }, []);
  } catch (error) {
    throw transportFailure(error, { signal });
  }
}

/**
 * Opens a file that was requested with a credential. A redirect is followed without it, through the guard. Throws
 * ProviderError.
 */
export async function openRequestedFile(
  answer: FileAnswer,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<OpenedOutput> {
  if (answer.status < 300) return openedVideo(answer, context.signal);
  answer.body.on('error', () => {}).destroy();
  const target = URL.parse(answer.headers.location ?? '', answer.url);
  if (target === null) throw invalidResponse(answer.status, new Error('a redirect without a location'));
  return openResultUrl(target.href, MORE_REDIRECTS, outbound, context);
}
