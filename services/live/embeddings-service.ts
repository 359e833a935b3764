/** Serves the operation for embeddings: checks the input, calls a provider and bills the tokens. */
import type { LiveModel } from '../../domain/catalog/catalog.ts';
import { priceRank } from '../../domain/catalog/token-price.ts';
import type { Issue } from '../../domain/errors.ts';
import type { Modality } from '../../domain/modality.ts';
import type { Target } from '../../domain/routing/routing.ts';
import type { ReadyJson } from '../../platform/ready-json.ts';
import type { EmbeddingList } from '../../providers/embeddings-adapter.ts';
import { answeringModel } from './answering-model.ts';
import type { OpenGeneration } from './generation.ts';
import type { LiveCall } from './live-call.ts';
import type { LiveDeps } from './live-deps.ts';
import { billPrompt } from './pipeline/abandoned.ts';
import { CALLERS_FAILURES_OF_TEXT } from './pipeline/callers-failures.ts';
import type { Answered, LiveOperation, WholeAnswer } from './pipeline/live-operation.ts';
import { type OutcomeFacts, runLive } from './pipeline/run-live.ts';
import { serializedIfLarge } from './pipeline/serialized-if-large.ts';
import type { TargetEstimate } from './pipeline/target-reservation.ts';
import { measurePrompt } from './prompt/measure-prompt.ts';
import { costOfPrompt, likelyPrices, mostCostOfPrompt, pricesToReserve } from './prompt/prompt-cost.ts';
import { billTokens } from './prompt/token-bill.ts';
import { MODALITY_OF_PART, type PromptFacts } from './prompt/prompt-facts.ts';
import type { RoutableBody } from '../routing/routable-body.ts';
import { showUsage, toTokenUsage } from './token-usage.ts';
import { fieldsFor, requestFor, withoutGatewayFields } from '../../providers/upstream-request.ts';
import { urlsIn } from './urls/url-places.ts';

/** An embeddings request that has passed the contract's validation. */
export type EmbeddingsBody = RoutableBody & { input: unknown; user?: string | null | undefined };

const OUTPUT: Modality[] = ['embeddings'];

interface EmbeddingsOutcome extends OutcomeFacts {
  answer: EmbeddingList | ReadyJson;
}

export function createEmbeddingsService(deps: LiveDeps) {
  const operation = embeddingsOperation(deps);
  return {
    /** Returns the vectors, once their row is in the ledger. */
    async embed(call: LiveCall<EmbeddingsBody>): Promise<EmbeddingsOutcome> {
      const { result: answer, ...facts } = await runLive(deps, operation, call);
      return { ...facts, answer };
    },
  };
}

function embeddingsOperation(
  deps: LiveDeps,
): LiveOperation<EmbeddingsBody, EmbeddingList, EmbeddingsOutcome['answer']> {
  const adapterOf = (target: Target) => deps.providers.of(target)?.embeddings;
  return {
    capability: 'embeddings',
    apiType: 'embeddings',
    callersFailures: CALLERS_FAILURES_OF_TEXT,
    read(call) {
      const { body } = call;
      const fields = withoutGatewayFields(body);
      const options = body.provider?.options;
      const askedAtMs = Date.now();
      const prompt = measureInput(fields, askedAtMs);
      const promptAt = (target: Target): PromptFacts => {
        const sent = fieldsFor(target, fields, options);
        return sent === fields ? prompt : measureInput(sent, askedAtMs);
      };
      return {
        routable: body,
        issuesAt: (target) => [
          ...unreadableIssues(target.model, prompt, body.input),
          ...(adapterOf(target)?.issuesOf?.(body.input) ?? []),
        ],
        urls: urlsIn(body, { hasMedia: prompt.hasMedia || 'messages' in body }, ['input', 'messages']),
        opening: { input: body.input, inputModalities: prompt.modalities, user: body.user, streamed: false },
        costAt: (target) => priceRank(likelyPrices(target, () => promptAt(target), OUTPUT)),
        highestPricesAt: (target) => pricesToReserve(target, promptAt(target), OUTPUT),
        estimateAt: (target) => estimateInput(target, promptAt(target)),
        abandonedAt: (target) => billPrompt(target, promptAt(target)),
        ask: (target, context) => adapterOf(target)?.embed(requestFor(target, fields, options), context),
        answered: (answered, open) => serializedIfLarge(end(open, promptAt(answered.target), answered), call),
      };
    },
  };
}

/** Measures the input, in which no part adds tokens to its own. */
function measureInput(fields: Record<string, unknown>, askedAtMs: number): PromptFacts {
  // Embeddings have no service tiers: whatever is in the field, the standard prices apply.
  return { ...measurePrompt(fields, 0, askedAtMs), serviceTier: undefined };
}

function estimateInput(target: Target, prompt: PromptFacts): TargetEstimate {
  const prices = pricesToReserve(target, prompt, OUTPUT);
  return { fixed: costOfPrompt(target, prompt, prices), mostFixed: mostCostOfPrompt(target, prompt, prices) };
}

/**
 * Returns issues for parts of the input that the model cannot read. Without them, these parts would be left out
 * silently.
 */
function unreadableIssues(
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

function end(
  { id }: OpenGeneration,
  prompt: PromptFacts,
  { target, answer, providerName }: Answered<EmbeddingList>,
): WholeAnswer<EmbeddingList> {
  const { usage: counted } = answer;
  const usage = counted ? toTokenUsage(counted) : { prompt: prompt.estimatedTokens, completion: 0 };
  const { cost, billed } = billTokens(target, prompt, {
    usage,
    isEstimated: !counted,
    outputModalities: OUTPUT,
  });
  return {
    billed: {
      ...billed,
      responseModel: answeringModel(answer),
    },
    show() {
      for (const item of answer.data) item.object = 'embedding';
      return {
        ...answer,
        id,
        object: 'list',
        model: target.model.id,
        provider: providerName,
        usage: showUsage(usage, cost, counted ?? undefined, target),
      };
    },
  };
}

export type EmbeddingsService = ReturnType<typeof createEmbeddingsService>;
