import type { BroadcastFacts, RequestParameters } from '../../domain/ledger/broadcast-facts.ts';
import { costPartsOf } from '../../domain/broadcast/cost-parts.ts';
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
  const facts: BroadcastFacts = {
    ...present('requestModel', textOf(body['model'])),
    ...present('responseModel', ending.responseModel ?? undefined),
    ...present('parameters', parametersOf(body)),
    ...present('error', failure && { code: failure.code, message: showError(failure).message }),
    ...present('costs', costsOf(ending)),
    ...(isContentBroadcast ? { hasContent: true } : {}),
    ...present('trace', body['trace'] as BroadcastFacts['trace']),
  };
  return limitFacts(facts);
}

/** Reads the parameters under their names in all dialects. */
function parametersOf(body: Fields): RequestParameters | undefined {
  const reasoning = (body['reasoning'] ?? {}) as Fields;
  const parameters: RequestParameters = {
    ...present('temperature', numberOf(body['temperature'])),
    ...present('topP', numberOf(body['top_p'])),
    ...present('topK', numberOf(body['top_k'])),
    ...present(
      'maxTokens',
      numberOf(body['max_completion_tokens'] ?? body['max_output_tokens'] ?? body['max_tokens']),
    ),
    ...present('seed', numberOf(body['seed'])),
    ...present('frequencyPenalty', numberOf(body['frequency_penalty'])),
    ...present('presencePenalty', numberOf(body['presence_penalty'])),
    ...present('stopSequences', textsOf(body['stop_sequences'] ?? body['stop'])),
    ...present('choiceCount', numberOf(body['n'])),
    ...present('reasoningEffort', textOf(reasoning['effort'] ?? body['reasoning_effort'])),
  };
  return Object.keys(parameters).length === 0 ? undefined : parameters;
}

/**
 * Returns the cost of each kind of token at the prices of the endpoint. Undefined when the costs do not add up to the
 * billed amount. An estimate, which bills a request whose caller disconnected, is not split by kind.
 */
function costsOf({ target, usage, promptImages, mediaUsage, costNanos }: Ending): BroadcastFacts['costs'] {
  const parts = costPartsOf(target.endpoint.pricing, { usage, images: promptImages, media: mediaUsage });
  const amounts = Object.entries(parts);
  if (amounts.length === 0 || amounts.reduce((sum, [, nanos]) => sum + nanos, 0n) !== costNanos)
    return undefined;
  return Object.fromEntries(amounts.map(([kind, nanos]) => [kind, `${nanos}`]));
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]?: Value });
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
