/** Meters an answer in the Responses dialect for billing, by the upstream's own count or by an estimate. */
import type { OpenAiUsage } from '../../../providers/chat-adapter.ts';
import type { DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { toChatUsage } from '../../../providers/dialects/responses/usage.ts';
import { answeringModel } from '../answering-model.ts';
import { atLeast } from '../chat/chat-meter.ts';
import type { TextMeter } from '../pipeline/text-bill.ts';
import { textWeight, tokensOfWeight } from '../token-estimate.ts';
import { toTokenUsage } from '../token-usage.ts';

/**
 * Counts the tokens of a response as its events pass. The upstream's final count is in its last event; earlier counts
 * may lag behind.
 */
export interface ResponsesMeter extends TextMeter {
  addEvent(event: DialectEvent): void;
  /** The upstream's own count, if it sent one. */
  readonly counted: OpenAiUsage | undefined;
}

export function createResponsesMeter(): ResponsesMeter {
  let counted: OpenAiUsage | undefined;
  /** True when `counted` is final. */
  let isLast = false;
  let weight = 0;
  let toolCalls = 0;
  let finishReason: string | null = null;
  let upstreamId: string | null = null;
  let responseModel: string | null = null;
  let serviceTier: string | null = null;
  return {
    addEvent({ type, delta, item, response }) {
      if (typeof delta === 'string') weight += textWeight(delta);
      else if (type === 'response.output_item.added' && isFields(item)) toolCalls += isCall(item) ? 1 : 0;
      else if (isFields(response)) {
        upstreamId ??= idOf(response);
        responseModel ??= answeringModel(response);
        serviceTier = tierOf(response) ?? serviceTier;
        const usage = toChatUsage(response['usage']);
        counted = usage ?? counted;
        isLast ||= type === 'response.failed' && usage !== undefined;
        finishReason = finishReasonOf(response) ?? finishReason;
      }
    },
    usage(promptTokens) {
      const estimate = { prompt: promptTokens, completion: tokensOfWeight(weight) };
      if (counted === undefined) return estimate;
      const usage = toTokenUsage(counted);
      return isLast || finishReason !== null ? usage : atLeast(usage, estimate);
    },
    get counted() {
      return counted;
    },
    get finishReason() {
      return finishReason;
    },
    get upstreamId() {
      return upstreamId;
    },
    get responseModel() {
      return responseModel;
    },
    get serviceTier() {
      return serviceTier;
    },
    get toolCalls() {
      return toolCalls;
    },
  };
}

/** Counts a whole response as if it were a stream. */
export function meterOf(response: DialectObject): ResponsesMeter {
  const meter = createResponsesMeter();
  for (const item of fieldsIn(response['output'])) {
    meter.addEvent({ type: 'response.output_item.added', item });
    for (const delta of textsOf(item)) meter.addEvent({ type: '', delta });
  }
  meter.addEvent({ type: '', response });
  return meter;
}

/** Returns every text that the model wrote in an item. */
function textsOf(item: Fields): string[] {
  const parts = [...fieldsIn(item['content']), ...fieldsIn(item['summary'])];
  return [
    ...parts.flatMap(({ text, refusal }) => [textOf(text), textOf(refusal)]),
    textOf(item['arguments']),
    textOf(item['input']),
  ];
}

function idOf({ id }: Fields): string | null {
  return typeof id === 'string' ? id : null;
}

function tierOf({ service_tier: tier }: Fields): string | null {
  return typeof tier === 'string' ? tier : null;
}

/** Returns the finish reason in the terms of a chat; null while the response has not ended. */
function finishReasonOf({ status, incomplete_details: details, output }: Fields): string | null {
  if (status === 'completed') return fieldsIn(output).some(isCall) ? 'tool_calls' : 'stop';
  if (status !== 'incomplete') return null;
  return textOf(isFields(details) ? details['reason'] : undefined) || 'length';
}

/** Returns whether the item calls a tool that the caller runs. */
function isCall({ type }: Fields): boolean {
  const name = textOf(type);
  return name.endsWith('_call') && name !== 'image_generation_call';
}
