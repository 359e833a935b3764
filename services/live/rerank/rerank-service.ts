/** Serves the operation that ranks documents by their relevance to a query. */
import type { LiveEndpoint, LiveModel } from '../../../domain/catalog/catalog.ts';
import type { Issue } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { RerankAnswer, RerankDocument, RerankRequest } from '../../../providers/rerank-adapter.ts';
import type { OpenGeneration } from '../generation.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { type PricedRequest, pricedFor, dearestFor } from '../applicable-prices.ts';
import { CALLERS_FAILURES_OF_TEXT } from '../pipeline/callers-failures.ts';
import type { Answered, LiveOperation, WholeAnswer } from '../pipeline/live-operation.ts';
import { type LiveOutcome, runLive } from '../pipeline/run-live.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import { textSizeOf } from '../prompt/measure-prompt.ts';
import { withoutGatewayFields } from '../../../providers/upstream-request.ts';
import {
  billAbandonedRerank,
  billRerankNow,
  estimateRerank,
  reservedForRerank,
  reservedTokens,
  type RerankUsage,
} from './rerank-bill.ts';
import { readRerank, type RerankFacts } from './rerank-facts.ts';

/** A rerank request that has passed the contract's validation. */
export type RerankBody = RoutableBody & {
  query: string;
  documents: (string | RerankDocument)[];
  top_n?: number | null | undefined;
  user?: string | null | undefined;
};

export interface Ranking {
  /** The id of the generation. */
  id: string;
  model: string;
  /** The provider's display name. */
  provider: string;
  /** The documents as the caller sent them, the most relevant first. There are at most as many as requested. */
  results: { index: number; relevanceScore: number; document: RerankDocument }[];
  usage: RerankUsage;
}

export function createRerankService(deps: LiveDeps) {
  const operation = rerankOperation(deps);
  return {
    /** Returns the ranked documents, once their row is in the ledger. */
    rank: (call: LiveCall<RerankBody>): Promise<LiveOutcome<Ranking>> => runLive(deps, operation, call),
  };
}

function rerankOperation(deps: LiveDeps): LiveOperation<RerankBody, RerankAnswer, Ranking> {
  return {
    capability: 'rerank',
    apiType: 'rerank',
    callersFailures: CALLERS_FAILURES_OF_TEXT,
    read({ body }) {
      const { model, query, documents, top_n, ...others } = body;
      const { models, provider } = body;
      const extras = withoutGatewayFields(others);
      const facts = readRerank(query, documents);
      const priced = { askedAtMs: Date.now(), modalities: facts.modalities };
      const nowAt = (endpoint: LiveEndpoint) => pricedFor(endpoint, priced, 'rerank', facts.estimatedTokens);
      const mostAt = (endpoint: LiveEndpoint) => {
        const { bytes } = textSizeOf(optionsFor(endpoint, body, extras));
        return readRerank(query, documents, bytes, Buffer.byteLength);
      };
      const dearestAt = (endpoint: LiveEndpoint, most: RerankFacts) =>
        dearestFor(endpoint, priced, 'rerank', reservedTokens(endpoint, most));
      const reservedAt = (endpoint: LiveEndpoint) => {
        const { tokens } = textSizeOf(optionsFor(endpoint, body, extras));
        return tokens === 0 ? facts : readRerank(query, documents, tokens);
      };
      return {
        routable: { ...extras, model, models, provider, top_n },
        // Adapters fetch the pictures among the documents.
        searched: others,
        issuesAt: (target) =>
          facts.images === 0 || acceptsImages(deps, target) ? [] : [unreadableIssue(target.model, documents)],
        costAt: ({ endpoint }) => estimateRerank(nowAt(endpoint), facts),
        highestPricesAt: ({ endpoint }) => dearestAt(endpoint, mostAt(endpoint)).pricing,
        opening: {
          input: { query, documents },
          inputModalities: facts.modalities,
          user: body.user,
          streamed: false,
        },
        estimateAt: ({ endpoint }) => {
          const most = mostAt(endpoint);
          const dearest = dearestAt(endpoint, most);
          return {
            fixed: reservedForRerank(dearest, reservedAt(endpoint)),
            mostFixed: reservedForRerank(dearest, most),
          };
        },
        abandonedAt: ({ endpoint }) => billAbandonedRerank(endpoint, priced, facts, reservedAt(endpoint)),
        ask: (target, context) =>
          deps.providers.of(target)?.rerank?.rerank(requestFor(target, body, extras), context),
        answered: (answered, open) => end(open, body, { facts, priced }, answered),
      };
    },
  };
}

function end(
  { id, draft }: OpenGeneration,
  body: RerankBody,
  { facts, priced }: { facts: RerankFacts; priced: PricedRequest },
  { target, answer, providerName }: Answered<RerankAnswer>,
): WholeAnswer<Ranking> {
  const { usage, billed } = billRerankNow(target.endpoint, priced, answer, facts);
  const results = sortResults(answer, body);
  draft?.rank(
    results.map(({ relevanceScore, ...result }) => ({ ...result, relevance_score: relevanceScore })),
  );
  return {
    billed: { ...billed, upstreamId: answer.id ?? null },
    show: () => ({
      id,
      model: target.model.id,
      provider: providerName,
      results,
      // The customer pays their own provider, so the gateway charges nothing.
      usage: target.own === undefined ? usage : { ...usage, costNanos: 0n },
    }),
  };
}

/** Returns whether the model, and the adapter through which it is called, accept pictures. */
function acceptsImages({ providers }: LiveDeps, target: Target): boolean {
  return (
    target.model.inputModalities.includes('image') && providers.of(target)?.rerank?.acceptsImages !== false
  );
}

/** Returns the issue for a picture that the model cannot read. Without it, the picture would be left out silently. */
function unreadableIssue({ id, inputModalities }: LiveModel, documents: RerankBody['documents']): Issue {
  const position = documents.findIndex((document) => typeof document === 'object' && 'image' in document);
  const why = inputModalities.includes('image') ? 'whose providers take' : 'which takes';
  return {
    path: `body.documents.${position}.image`,
    message: `cannot be ranked by ${id}, ${why} text only`,
  };
}

type Options = Record<string, unknown>;

/** Returns the fields that an endpoint receives besides query and documents. */
function optionsFor({ providerSlug }: LiveEndpoint, { provider }: RerankBody, extras: Options): Options {
  const own = provider?.options?.[providerSlug];
  return own === undefined ? extras : { ...withoutGatewayFields(own), ...extras };
}

function requestFor({ endpoint }: Target, body: RerankBody, extras: Options): RerankRequest {
  const { query, documents, top_n: topN } = body;
  return {
    model: endpoint.upstreamModelId,
    query,
    documents,
    topN: topN ?? undefined,
    options: optionsFor(endpoint, body, extras),
  };
}

function sortResults({ results }: RerankAnswer, { documents, top_n: topN }: RerankBody): Ranking['results'] {
  return results
    .toSorted((a, b) => b.relevanceScore - a.relevanceScore)
    .slice(0, topN ?? undefined)
    .map(({ index, relevanceScore }) => {
      const document = documents[index]!;
      return {
        index,
        relevanceScore,
        document: typeof document === 'string' ? { text: document } : document,
      };
    });
}

export type RerankService = ReturnType<typeof createRerankService>;
