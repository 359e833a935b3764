import type { BroadcastFacts, RequestParameters } from '../../domain/ledger/broadcast-facts.ts';
import { costPartsOf } from '../../domain/ledger/cost-parts.ts';
import { limitFacts } from '../../domain/broadcast/limit-facts.ts';
import type { Ending, OpenGeneration } from './generation.ts';
import type { ShowError } from './body-draft.ts';

type Fields = { readonly [name: string]: unknown };

/** Collects the facts about a generation that destinations receive but the ledger does not keep. */
export function createBroadcastFacts(
  { call, failure, isContentBroadcast }: Pick<OpenGeneration, 'call' | 'failure' | 'isContentBroadcast'>,
  ending: Ending,
  showError: ShowError,
): BroadcastFacts {
  const body = (call.body ?? {}) as Fields;
  return limitFacts({
    requestModel: textOf(body['model']),
    responseModel: ending.responseModel ?? undefined,
    parameters: parametersOf(body),
    error: failure && { code: failure.code, message: showError(failure).message },
    costs: costsOf(ending),
    hasContent: isContentBroadcast || undefined,
    trace: body['trace'] as BroadcastFacts['trace'],
  });
}

/** Reads the parameters under their names in all dialects. */
function parametersOf(body: Fields): RequestParameters | undefined {
  const reasoning = (body['reasoning'] ?? {}) as Fields;
  const parameters: RequestParameters = {
    temperature: numberOf(body['temperature']),
    topP: numberOf(body['top_p']),
    topK: numberOf(body['top_k']),
    maxTokens: numberOf(body['max_completion_tokens'] ?? body['max_output_tokens'] ?? body['max_tokens']),
    seed: numberOf(body['seed']),
    frequencyPenalty: numberOf(body['frequency_penalty']),
    presencePenalty: numberOf(body['presence_penalty']),
    stopSequences: textsOf(body['stop_sequences'] ?? body['stop']),
    choiceCount: numberOf(body['n']),
    reasoningEffort: textOf(reasoning['effort'] ?? body['reasoning_effort']),
  };
  return Object.values(parameters).every((value) => value === undefined) ? undefined : parameters;
}

/**
 * Returns the cost of each kind of token at the prices of the endpoint. Undefined when the costs do not add up to the
 * billed amount. An estimate, which bills a request whose caller disconnected, is not split by kind.
 */
function costsOf(ending: Ending): BroadcastFacts['costs'] {
  const { target, prices = target.endpoint.pricing, usage, promptImages, mediaUsage, costNanos } = ending;
  const parts = costPartsOf(prices, { usage, images: promptImages, media: mediaUsage, calls: ending.calls });
  const amounts = Object.entries(parts);
  if (amounts.length === 0 || amounts.reduce((sum, [, nanos]) => sum + nanos, 0n) !== costNanos)
    return undefined;
  return Object.fromEntries(amounts.map(([kind, nanos]) => [kind, `${nanos}`]));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((text) => typeof text === 'string') ? value : undefined;
}
