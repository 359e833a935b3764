import type { CallContext } from './call-context.ts';
import type { OpenedOutput } from './video-adapter.ts';
import { openedVideo } from './file-body.ts';
import { readLimited } from './read-limited.ts';
import type { OutboundFetch } from './reference-media.ts';
import { transportFailure } from './transport-failure.ts';
import { vendorError } from './vendor-error.ts';

const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const MAX_ERROR_BYTES = 64 * 1024;

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
