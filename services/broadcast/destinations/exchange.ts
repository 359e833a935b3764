/** Makes one HTTP request to an observability tool, compressing its body if the tool accepts gzip. */
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { readBeginning } from '../../../platform/outbound-body.ts';
import type { SendDeps } from './destination-adapter.ts';

const compress = promisify(gzip);

/** The least effort, because spans repeat so much that more effort hardly makes them smaller. */
const COMPRESSION = { level: constants.Z_BEST_SPEED };

/** The part of an answer that is read; no tool's verdict needs more. */
const ANSWER_BYTES = 16 * 1024;

export interface ToolRequest {
  url: string;
  /** `POST` when absent. */
  method?: 'GET' | 'POST' | 'PUT';
  /** Headers in lower case that the owner's own headers cannot replace. */
  headers: Record<string, string>;
  body?: Uint8Array;
  /** True when the tool accepts gzip. */
  gzip?: boolean;
}

export interface ToolAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The beginning of the body. */
  body: Buffer;
}

/**
 * Sends one request through the outbound guard and reads the beginning of the answer. Redirects are not followed.
 * Rejects with the errors of the guard.
 */
export async function exchange(
  { guard, timeoutMs }: Pick<SendDeps, 'guard' | 'timeoutMs'>,
  { url, method = 'POST', headers, body, gzip: isCompressed = false }: ToolRequest,
  ownersHeaders: Record<string, string> | undefined,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const response = await guard.fetch(url, {
    method,
    headers: mergeHeaders(ownersHeaders, {
      ...headers,
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    }),
    body: body && isCompressed ? await compress(body, COMPRESSION) : body,
    signal,
    timeoutMs,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: await readBeginning(response.body, ANSWER_BYTES),
  };
}

/** Merges the headers of the owner and of the type. The type's headers take precedence. */
function mergeHeaders(
  ownersHeaders: Record<string, string> | undefined,
  headers: Record<string, string>,
): Record<string, string> {
  const own = Object.entries(ownersHeaders ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return { 'user-agent': 'Sluice-Broadcast/1.0', ...Object.fromEntries(own), ...headers };
}
