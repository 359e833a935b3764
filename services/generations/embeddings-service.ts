import type { LiveModel } from '../../domain/catalog.ts';
import type { Issue } from '../../domain/errors.ts';
import type { TokenUsage } from '../../domain/generation.ts';
import type { Target } from '../../domain/routing.ts';
import type { TokenCost } from '../../domain/token-price.ts';
import type { EmbeddingList } from '../../providers/embeddings-adapter.ts';
import { attemptGeneration, type BegunLive, failAnswered, nothingUsed } from './attempt-generation.ts';
import { estimateCost } from './attempt-live.ts';
import { type OpenGeneration, openGeneration } from './generation.ts';
import { planTargets } from './plan-targets.ts';
import { MODALITY_OF_PART, type PromptFacts, readEmbeddingsInput } from './prompt-facts.ts';
import type { RoutableBody } from './routable-body.ts';
import { priceOf, settleGeneration } from './settle-generation.ts';
import type { LiveCall } from './live-call.ts';
import type { LiveDeps } from './live-deps.ts';
import { showUsage, toTokenUsage } from './token-usage.ts';
import { requestFor, withoutGatewayFields } from './upstream-request.ts';

/** An embeddings request that the contract let through. */
export type EmbeddingsBody = RoutableBody & { input: unknown; user?: string | null | undefined };

export interface EmbeddingsService {
  /** The vectors, once their row is in the ledger. */
  embed(call: LiveCall<EmbeddingsBody>): Promise<{ generationId: string; answer: EmbeddingList }>;
}

export function createEmbeddingsService(deps: LiveDeps): EmbeddingsService {
  return {
    async embed(call) {
      const begun = await begin(deps, call);
      const { prompt, fields } = begun;
      const { provider } = call.body;
      const result = await attemptGeneration(deps, begun, (target, context) =>
        deps.providers
          .embeddingsAdapter(target.endpoint.providerSlug)
          ?.embed(requestFor(target, fields, provider?.options), context),
      );
      const { target, answer, startedAtMs } = result.answered;
      let bill: Bill;
      try {
        bill = billOf(target, answer, prompt);
      } catch (cause) {
        throw await failAnswered(deps, begun, result, cause);
      }
      deps.health.record(target.endpoint.id, { ok: true, latencyMs: Date.now() - startedAtMs });
      await settleGeneration(deps, begun.open, begun.reservation, {
        ...nothingUsed(target),
        responses: result.responses,
        status: 'completed',
        usage: bill.usage,
        costNanos: bill.cost.totalNanos,
        outputModalities: ['embeddings'],
        answeredAtMs: Date.now(),
      });
      return { generationId: begun.open.id, answer: show(deps, begun.open, result.answered, bill) };
    },
  };
}

interface BegunEmbeddings extends BegunLive<EmbeddingsBody> {
  prompt: PromptFacts;
  /** Of the request, without the gateway's own. */
  fields: Record<string, unknown>;
}

async function begin(deps: LiveDeps, call: LiveCall<EmbeddingsBody>): Promise<BegunEmbeddings> {
  deps.ledger.requireOpen();
  const { principal, body } = call;
  const settings = await deps.settingsOf(principal.workspaceId);
  const prompt = readEmbeddingsInput(body.input);
  const { embeddingsAdapter } = deps.providers;
  const targets = planTargets(deps, 'embeddings', body, settings, {
    issuesAt: ({ providerSlug }, candidate) => [
      ...blindIssues(candidate, prompt, body.input),
      ...(embeddingsAdapter(providerSlug)?.issuesOf?.(body.input) ?? []),
    ],
  });
  const tokens = { prompt: prompt.estimatedTokens, completion: 0 };
  const open = openGeneration({
    apiType: 'embeddings',
    call,
    presetId: null,
    user: body.user,
    input: body.input,
    settings,
    inputModalities: prompt.modalities,
    streamed: false,
  });
  const fields = withoutGatewayFields(body);
  // Last: whoever has the reservation must give it back, and nothing between here and there can fail.
  const reservation = await deps.spending.reserve(principal, {
    usage: estimateCost(targets, tokens, prompt.images),
    byok: 0n,
  });
  return { call, open, reservation, targets, prompt, fields };
}

/** What a model has no sense for is never left out in silence. */
function blindIssues(
  { id, inputModalities }: LiveModel,
  { modalities }: PromptFacts,
  input: unknown,
): Issue[] {
  if (!Array.isArray(input) || modalities.every((modality) => inputModalities.includes(modality))) return [];
  for (const [position, { content = [] }] of (input as { content?: { type: string }[] }[]).entries()) {
    const index = content.findIndex(({ type }) => {
      const modality = MODALITY_OF_PART.get(type);
      return modality !== undefined && !inputModalities.includes(modality);
    });
    if (index === -1) continue;
    const message = `cannot be embedded by ${id}, which takes ${inputModalities.join(', ')} only`;
    return [{ path: `body.input.${position}.content.${index}`, message }];
  }
  return [];
}

interface Bill {
  usage: TokenUsage;
  cost: TokenCost;
}

function billOf(target: Target, { usage: counted }: EmbeddingList, prompt: PromptFacts): Bill {
  const usage = counted ? toTokenUsage(counted) : { prompt: prompt.estimatedTokens, completion: 0 };
  return { usage, cost: priceOf({ target, usage }, prompt.images) };
}

function show(
  { catalog }: LiveDeps,
  { id }: OpenGeneration,
  { target, answer }: { target: Target; answer: EmbeddingList },
  { usage, cost }: Bill,
): EmbeddingList {
  for (const item of answer.data) item.object = 'embedding';
  return {
    ...answer,
    id,
    object: 'list',
    model: target.model.id,
    provider: catalog.providerName(target.endpoint.providerSlug),
    usage: showUsage(usage, cost, answer.usage ?? undefined),
  };
}
