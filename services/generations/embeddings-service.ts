import type { TokenUsage } from '../../domain/generation.ts';
import type { Target } from '../../domain/routing.ts';
import type { EmbeddingList } from '../../providers/provider.ts';
import { attemptGeneration, type BegunText, nothingUsed } from './attempt-generation.ts';
import { estimateCost } from './attempt-text.ts';
import { type OpenGeneration, openGeneration } from './generation.ts';
import { planTargets, type RoutableBody } from './plan-text.ts';
import { estimateTokens } from './prompt-facts.ts';
import { priceOf, settleGeneration } from './settle-generation.ts';
import type { TextCall } from './text-call.ts';
import type { TextDeps } from './text-deps.ts';
import { showUsage, toTokenUsage } from './token-usage.ts';
import { requestFor, withoutGatewayFields } from './upstream-request.ts';

/** An embeddings request that the contract let through. */
export type EmbeddingsBody = RoutableBody & { input: unknown; user?: string | null | undefined };

export interface EmbeddingsService {
  /** The vectors, once their row is in the ledger. */
  embed(call: TextCall<EmbeddingsBody>): Promise<{ generationId: string; answer: EmbeddingList }>;
}

export function createEmbeddingsService(deps: TextDeps): EmbeddingsService {
  return {
    async embed(call) {
      const begun = await begin(deps, call);
      const { body } = call;
      const fields = withoutGatewayFields(body);
      const { answered, responses } = await attemptGeneration(deps, begun, (target, context) =>
        deps.providers
          .embeddingsAdapter(target.endpoint.providerSlug)
          ?.embed(requestFor(target, fields, body.provider?.options), context),
      );
      const { target, answer, startedAtMs } = answered;
      const usage = answer.usage ? toTokenUsage(answer.usage) : begun.estimate;
      const cost = priceOf({ target, usage }, 0);
      deps.health.record(target.endpoint.id, { ok: true, latencyMs: Date.now() - startedAtMs });
      await settleGeneration(deps, begun.open, begun.reservation, {
        ...nothingUsed(target),
        responses,
        status: 'completed',
        usage,
        costNanos: cost.totalNanos,
        outputModalities: ['embeddings'],
        answeredAtMs: Date.now(),
      });
      return { generationId: begun.open.id, answer: show(deps, begun.open, answered, { usage, cost }) };
    },
  };
}

interface BegunEmbeddings extends BegunText<EmbeddingsBody> {
  estimate: TokenUsage;
}

async function begin(deps: TextDeps, call: TextCall<EmbeddingsBody>): Promise<BegunEmbeddings> {
  deps.ledger.requireOpen();
  const { principal, body } = call;
  const settings = await deps.settingsOf(principal.workspaceId);
  const targets = planTargets(deps, 'embeddings', body, settings);
  const estimate = { prompt: countInput(body.input), completion: 0 };
  const open = openGeneration({
    apiType: 'embeddings',
    call,
    presetId: null,
    user: body.user,
    input: body.input,
    settings,
    inputModalities: ['text'],
    streamed: false,
  });
  // Last: whoever has the reservation must give it back, and nothing between here and there can fail.
  const reservation = await deps.spending.reserve(principal, {
    usage: estimateCost(targets, estimate, 0),
    byok: 0n,
  });
  return { call, open, reservation, targets, estimate };
}

function show(
  { catalog }: TextDeps,
  { id }: OpenGeneration,
  { target, answer }: { target: Target; answer: EmbeddingList },
  { usage, cost }: { usage: TokenUsage; cost: ReturnType<typeof priceOf> },
): EmbeddingList {
  for (const [index, item] of answer.data.entries()) {
    item.object = 'embedding';
    item.index ??= index;
  }
  return {
    ...answer,
    id,
    object: 'list',
    model: target.model.id,
    provider: catalog.providerName(target.endpoint.providerSlug),
    usage: showUsage(usage, cost),
  };
}

/** Tokens are counted, texts are guessed. */
function countInput(input: unknown): number {
  if (typeof input === 'string') return estimateTokens(input.length);
  if (!Array.isArray(input)) return 0;
  let tokens = 0;
  for (const item of input as unknown[]) {
    if (typeof item === 'number') tokens += 1;
    else if (typeof item === 'string') tokens += estimateTokens(item.length);
    else if (Array.isArray(item)) tokens += item.length;
    else tokens += estimateTokens(JSON.stringify(item).length);
  }
  return tokens;
}
