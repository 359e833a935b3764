/** Makes one cheap call to each configured vendor of the catalog, to show that its credential works. */
import { randomUUID } from 'node:crypto';
import type { CatalogRows } from '../../db/catalog/catalog-store.ts';
import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import { AnswerAllowance } from '../../providers/answer-allowance.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { type Provider, providerFor } from '../../providers/provider.ts';

/** A vendor that was tried. */
export interface TriedProvider {
  slug: string;
  /** The vendor's name of the model that was called; absent if only the key was checked, or nothing was called. */
  model?: string | undefined;
  /** The time until the answer; absent without a call. */
  ms?: number | undefined;
  /** The failure of the call, in the vendor's words if it has some; absent if the vendor answered. */
  problem?: string | undefined;
}

/** The capabilities that can be tried, the most usual first. */
const CHEAP: readonly LiveEndpoint['capability'][] = ['chat', 'embeddings', 'rerank'];

/** The time in which a vendor must answer. */
const CALL_MS = 60_000;
const MAX_ANSWER_BYTES = 4 * 1024 ** 2;
/** Enough for one word of a model that thinks first. */
const MAX_TOKENS = 256;

/**
 * Calls the cheapest model of each provider, all at the same time: one for chats if there is one. Of a vendor of media
 * it only checks the key. Never rejects for what a vendor does.
 */
export async function tryProviders(
  providers: ReadonlyMap<string, Provider>,
  { liveEndpoints }: Pick<CatalogRows, 'liveEndpoints'>,
): Promise<TriedProvider[]> {
  return await Promise.all(
    [...providers.values()].map(async (provider) => {
      const own = liveEndpoints.filter(({ providerSlug }) => providerSlug === provider.slug);
      const [cheapest] = own
        .filter((endpoint) => callOf(provider, endpoint) !== undefined)
        .toSorted(
          (a, b) =>
            CHEAP.indexOf(a.capability) - CHEAP.indexOf(b.capability) ||
            Number(a.pricing.prompt) - Number(b.pricing.prompt),
        );
      if (cheapest !== undefined) return await tryProvider(provider, cheapest);
      return provider.checkKey === undefined ? { slug: provider.slug } : await tryKey(provider);
    }),
  );
}

async function tryProvider(provider: Provider, endpoint: LiveEndpoint): Promise<TriedProvider> {
  const model = endpoint.upstreamModelId;
  return { model, ...(await time(provider, () => callOf(provider, endpoint)?.(contextOf(endpoint)))) };
}

function tryKey(provider: Provider): Promise<TriedProvider> {
  const context = { signal: AbortSignal.timeout(CALL_MS), requestId: randomUUID() };
  return time(provider, () => provider.checkKey?.(context));
}

async function time({ slug }: Provider, call: () => Promise<unknown> | undefined): Promise<TriedProvider> {
  const start = performance.now();
  try {
    await call();
    return { slug, ms: performance.now() - start };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { slug, ms: performance.now() - start, problem: describe(error) };
  }
}

/** Returns the failure in the words of the vendor, or of the library that sent nothing, if they are known. */
function describe({ code, status, vendorMessage, publicMessage, cause }: ProviderError): string {
  const words = vendorMessage ?? publicMessage;
  const why = vendorMessage === undefined ? rootOf(cause).replaceAll(/\s+/g, ' ').trim() : '';
  return `${code}${status === undefined ? '' : `, status ${status}`}: ${words}${why && ` (${why})`}`;
}

/** Returns the message of the innermost cause, such as that a host has no address. */
function rootOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  return rootOf(cause.cause) || cause.message;
}

type Call = (context: LiveCallContext) => Promise<unknown>;

/** Returns the smallest call of an endpoint; undefined if it makes media, which are not cheap. */
function callOf(provider: Provider, { capability, upstreamModelId: model }: LiveEndpoint): Call | undefined {
  const { chat, embeddings, rerank } = providerFor(provider, model);
  const messages = [{ role: 'user', content: 'Answer with one word: ready?' }];
  if (capability === 'chat' && chat !== undefined) {
    return (context) => chat.complete({ model, messages, max_tokens: MAX_TOKENS }, context);
  }
  if (capability === 'embeddings' && embeddings !== undefined) {
    return (context) => embeddings.embed({ model, input: 'ready' }, context);
  }
  if (capability === 'rerank' && rerank !== undefined) {
    return (context) => rerank.rerank({ model, query: 'ready', documents: ['ready'] }, context);
  }
  return undefined;
}

function contextOf({ deviations, maxCompletionTokens }: LiveEndpoint): LiveCallContext {
  const limits = {
    maxTextBytes: MAX_ANSWER_BYTES,
    maxEventBytes: MAX_ANSWER_BYTES,
    maxMediaBytes: MAX_ANSWER_BYTES,
  };
  return {
    signal: AbortSignal.timeout(CALL_MS),
    requestId: randomUUID(),
    answer: new AnswerAllowance({ limits, add: () => {}, room: () => undefined }, true),
    timeouts: { firstByteMs: CALL_MS, idleMs: CALL_MS, attemptMs: CALL_MS },
    ...(deviations && { deviations }),
    ...(maxCompletionTokens !== null && { maxOutputTokens: maxCompletionTokens }),
  };
}
