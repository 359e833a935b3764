import type { LiveEndpoint, LiveModel } from '../../../domain/catalog.ts';
import type { Issue } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing.ts';
import type { RerankAnswer, RerankDocument, RerankRequest } from '../../../providers/rerank-adapter.ts';
import { attemptGeneration, type BegunLive, failAnswered, nothingUsed } from '../attempt-generation.ts';
import { openGeneration } from '../generation.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { highestCost } from '../attempt-live.ts';
import { planTargets } from '../plan-targets.ts';
import { billRerank, guessRerank, type RerankUsage } from './rerank-bill.ts';
import { readRerank, type RerankFacts } from './rerank-facts.ts';
import type { RoutableBody } from '../routable-body.ts';
import { settleGeneration } from '../settle-generation.ts';
import { withoutGatewayFields } from '../upstream-request.ts';

/** A request to rank that the contract let through. */
export type RerankBody = RoutableBody & {
  query: string;
  documents: (string | RerankDocument)[];
  top_n?: number | null | undefined;
  user?: string | null | undefined;
};

export interface Ranking {
  /** Of the generation. */
  id: string;
  model: string;
  /** As it is shown. */
  provider: string;
  /** The most relevant first, each with the document as it was sent; no more than were asked for. */
  results: { index: number; relevanceScore: number; document: RerankDocument }[];
  usage: RerankUsage;
}

export interface RerankService {
  /** The documents in their order, once their row is in the ledger. */
  rank(call: LiveCall<RerankBody>): Promise<Ranking>;
}

export function createRerankService(deps: LiveDeps): RerankService {
  return {
    async rank(call) {
      const begun = await begin(deps, call);
      const result = await attemptGeneration(deps, begun, (target, context) =>
        deps.providers
          .rerankAdapter(target.endpoint.providerSlug)
          ?.rerank(requestFor(target, call.body, begun.extras), context),
      );
      const { target, answer, startedAtMs } = result.answered;
      let usage: RerankUsage;
      let results: Ranking['results'];
      try {
        usage = billRerank(target.endpoint, answer, begun.facts);
        results = sortResults(answer, call.body);
      } catch (cause) {
        throw await failAnswered(deps, begun, result, cause);
      }
      deps.health.record(target.endpoint.id, { ok: true, latencyMs: Date.now() - startedAtMs });
      const { totalTokens, costNanos } = usage;
      await settleGeneration(deps, begun.open, begun.reservation, {
        ...nothingUsed(target),
        responses: result.responses,
        status: 'completed',
        usage: totalTokens === undefined ? null : { prompt: totalTokens, completion: 0 },
        costNanos,
        outputModalities: ['rerank'],
        upstreamId: answer.id ?? null,
        answeredAtMs: Date.now(),
      });
      return {
        id: begun.open.id,
        model: target.model.id,
        provider: deps.catalog.providerName(target.endpoint.providerSlug),
        results,
        usage,
      };
    },
  };
}

interface BegunRerank extends BegunLive<RerankBody> {
  facts: RerankFacts;
  /** Fields that only the upstream knows. */
  extras: Record<string, unknown>;
}

async function begin(deps: LiveDeps, call: LiveCall<RerankBody>): Promise<BegunRerank> {
  deps.ledger.requireOpen();
  const { principal, body } = call;
  const settings = await deps.settingsOf(principal.workspaceId);
  const { model, query, documents, top_n, ...others } = body;
  const { models, provider } = body;
  const extras = withoutGatewayFields(others);
  const routable = { ...extras, model, models, provider, top_n };
  const facts = readRerank(query, documents);
  const targets = planTargets(deps, 'rerank', routable, settings, {
    issuesAt: (endpoint, candidate) =>
      facts.images === 0 || sees(deps, endpoint, candidate) ? [] : [blindIssue(candidate, documents)],
    costAt: (endpoint) => guessRerank(endpoint, facts),
  });
  const open = openGeneration({
    apiType: 'rerank',
    call,
    presetId: null,
    user: body.user,
    input: { query, documents },
    settings,
    inputModalities: facts.modalities,
    streamed: false,
  });
  // Last: whoever has the reservation must give it back, and nothing between here and there can fail.
  const reservation = await deps.spending.reserve(principal, {
    usage: highestCost(targets, ({ endpoint }) => guessRerank(endpoint, facts)),
    byok: 0n,
  });
  return { call, open, reservation, targets, facts, extras };
}

/** The model, and the wire over which it is asked there. */
function sees(
  { providers }: LiveDeps,
  { providerSlug }: LiveEndpoint,
  { inputModalities }: LiveModel,
): boolean {
  return inputModalities.includes('image') && providers.rerankAdapter(providerSlug)?.sees !== false;
}

/** A picture is never left out in silence. */
function blindIssue({ id, inputModalities }: LiveModel, documents: RerankBody['documents']): Issue {
  const position = documents.findIndex((document) => typeof document === 'object' && 'image' in document);
  const why = inputModalities.includes('image') ? 'whose providers take' : 'which takes';
  return {
    path: `body.documents.${position}.image`,
    message: `cannot be ranked by ${id}, ${why} text only`,
  };
}

function requestFor(
  { endpoint }: Target,
  { query, documents, top_n: topN, provider }: RerankBody,
  extras: Record<string, unknown>,
): RerankRequest {
  const own = provider?.options?.[endpoint.providerSlug];
  return {
    model: endpoint.upstreamModelId,
    query,
    documents,
    ...(topN === null || topN === undefined ? {} : { topN }),
    options: own === undefined ? extras : { ...withoutGatewayFields(own), ...extras },
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
