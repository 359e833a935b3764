/** Downloads the pictures and clips that a request gives as URLs, within limits. */
import { brokenRule, ProviderError } from '../domain/provider-error.ts';
import type { CallContext } from './call-context.ts';
import { loadTogether } from './load-together.ts';
import type { LoadedReference } from './reference-media.ts';
import { aborted } from './text-exchange.ts';

/**
 * The most references that one request may give as URLs. The number of base64 references is limited by the size of the
 * body only.
 */
const MAX_FETCHED = 16;
const MAX_FETCHED_BYTES = 32 * 1024 ** 2;

/** A reference that a customer gave as a URL, and its field in the request. */
export interface GivenReference {
  url: string;
  field: string;
}

/** Fetches one reference through the guard. Throws ProviderError. */
export type LoadReference = (url: string, context: CallContext) => Promise<LoadedReference>;

/**
 * Fetches the references of one request, in order and a few at a time, within limits of number and size. Throws
 * ProviderError, which names the field. It runs before the upstream is called.
 */
export async function fetchReferences(
  given: readonly GivenReference[],
  noun: 'pictures' | 'clips',
  load: LoadReference,
  context: CallContext,
): Promise<LoadedReference[]> {
  if (given.length > MAX_FETCHED) throw tooMany(`at most ${MAX_FETCHED} ${noun}`);
  let bytes = 0;
  const loadAndCount = async (each: GivenReference, signal: AbortSignal): Promise<LoadedReference> => {
    const loaded = await loadOne(each, load, { ...context, signal });
    bytes += loaded.bytes.byteLength;
    if (bytes <= MAX_FETCHED_BYTES) return loaded;
    throw tooMany(`at most ${MAX_FETCHED_BYTES / 1024 ** 2} MiB of ${noun}`);
  };
  return loadTogether(given, loadAndCount, context.signal);
}

async function loadOne(
  { url, field }: GivenReference,
  load: LoadReference,
  context: CallContext,
): Promise<LoadedReference> {
  try {
    return await load(url, context);
  } catch (error) {
    if (context.signal.aborted) throw aborted(context.signal, false);
    // The customer named the host, so its failure is reported as an invalid request and not as a fault of the endpoint.
    if (!(error instanceof ProviderError)) throw error;
    throw brokenRule({ path: `body.${field}`, message: error.issue?.message ?? 'could not be fetched' });
  }
}

function tooMany(most: string): ProviderError {
  return brokenRule({ path: 'body', message: `must give ${most} by address` });
}
