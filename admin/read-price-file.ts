/** Reads the file of `admin catalog update`, from disk or from a URL. */
import { readFile } from 'node:fs/promises';
import { AdminUsageError } from './arguments.ts';
import { createOutboundGuard } from '../platform/outbound-guard.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 3;

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the bytes of a file, or of an https URL. Plain http may go to this machine, and where OUTBOUND_ALLOW
 * (`allow`) permits it.
 */
export function readPriceFile(from: string, allow: readonly string[]): Promise<Buffer> {
  return /^[a-z]+:\/\//i.test(from) ? download(from, allow) : readBytes(from);
}

/** Returns the bytes of a file of at most 64 MiB. */
export async function readBytes(name: string): Promise<Buffer> {
  const bytes = await readFile(name).catch((error: NodeJS.ErrnoException) => {
    throw new AdminUsageError(`${name} cannot be read: ${error.code ?? error.message}`);
  });
  if (bytes.length > MAX_FILE_BYTES) throw new AdminUsageError(`${name} is larger than 64 MiB`);
  return bytes;
}

async function download(url: string, allow: readonly string[]): Promise<Buffer> {
  const isLocal = LOOPBACK_HOST.test(URL.parse(url)?.hostname ?? '');
  const guard = createOutboundGuard({ allow: isLocal ? [...allow, ...LOOPBACK] : allow });
  try {
    const { status, body } = await guard.fetch(url, {
      timeoutMs: TIMEOUT_MS,
      maxRedirects: MAX_REDIRECTS,
      maxResponseBytes: MAX_FILE_BYTES,
    });
    const chunks: Buffer[] = [];
    for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
    if (status !== 200) throw new Error(`it answers with the status ${status}`);
    return Buffer.concat(chunks);
  } catch (error) {
    throw new AdminUsageError(`${url} cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
  } finally {
    await guard.close();
  }
}
