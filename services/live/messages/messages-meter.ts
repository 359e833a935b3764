/** Meters an answer in Anthropic's dialect for billing, by the upstream's own count or by an estimate. */
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { OpenAiUsage } from '../../../providers/chat-adapter.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { mergeUsage } from '../../../providers/dialects/messages/events-to-chunks.ts';
import { usageToChat } from '../../../providers/dialects/messages/usage.ts';
import { answeringModel } from '../answering-model.ts';
import { atLeast } from '../chat/chat-meter.ts';
import type { TextMeter } from '../pipeline/text-bill.ts';
import { textWeight, tokensOfWeight } from '../token-estimate.ts';
import { toTokenUsage } from '../token-usage.ts';

/** Counts the tokens of a stream of Anthropic's events as they pass. */
export interface MessagesMeter extends TextMeter {
  addEvent(event: DialectEvent): void;
  /** The upstream's usage so far, under Anthropic's names. */
  readonly reported: Fields;
}

export function createMessagesMeter(): MessagesMeter {
  let reported: Fields = {};
  /** `isCounted`: a final count has arrived. `isLast`: it came together with the stop reason. */
  let isCounted = false;
  let isLast = false;
  let weight = 0;
  let toolCalls = 0;
  let finishReason: string | null = null;
  let upstreamId: string | null = null;
  let responseModel: string | null = null;

  const count = (usage: unknown): void => {
    if (isFields(usage)) reported = mergeUsage(reported, usage);
  };

  return {
    addEvent({ type, message, content_block: block, delta, usage }) {
      if (type === 'message_start' && isFields(message)) {
        upstreamId = textOf(message['id']) || null;
        responseModel = answeringModel(message);
        count(message['usage']);
      } else if (type === 'content_block_start' && isFields(block)) {
        if (block['type'] === 'tool_use') toolCalls += 1;
        weight += blockWeight(block);
      } else if (type === 'content_block_delta' && isFields(delta)) weight += deltaWeight(delta);
      else if (type === 'message_delta' && isFields(delta)) {
        if (typeof delta['stop_reason'] === 'string') finishReason = delta['stop_reason'];
        isCounted ||= isFields(usage) && typeof usage['output_tokens'] === 'number';
        isLast = isCounted && finishReason !== null;
        count(usage);
      }
    },
    usage(promptTokens, isWhole): TokenUsage {
      const estimate = { prompt: promptTokens, completion: tokensOfWeight(weight) };
      const known = countedIn(reported);
      if (known === undefined) return estimate;
      const tokens = toTokenUsage(known);
      // Without a final count there is only the output count of one from the start of the stream.
      return isLast || (isWhole && isCounted) ? tokens : atLeast(tokens, estimate);
    },
    get reported() {
      return reported;
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
      return textOf(reported['service_tier']) || null;
    },
    get toolCalls() {
      return toolCalls;
    },
  };
}

/**
 * Returns the usage in OpenAI's names; undefined for an upstream that does not count, which sends only zeros, at the
 * start of the stream.
 */
export function countedIn(reported: Fields): OpenAiUsage | undefined {
  const usage = usageToChat(reported);
  return usage.prompt_tokens > 0 || usage.completion_tokens! > 0 ? usage : undefined;
}

/** Counts a whole answer as if it were a stream. */
export function meterOfMessage(answer: Fields): MessagesMeter {
  const meter = createMessagesMeter();
  const { usage, stop_reason, content } = answer;
  meter.addEvent({ type: 'message_start', message: answer });
  for (const block of fieldsIn(content))
    meter.addEvent({ type: 'content_block_start', content_block: block });
  meter.addEvent({ type: 'message_delta', delta: { stop_reason }, usage });
  return meter;
}

/** Returns the weight of the text at a block's start. In an answer that is not streamed, this is all of its text. */
function blockWeight({ text, thinking, input }: Fields): number {
  const arguments_ = isFields(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
  return textWeight(textOf(text)) + textWeight(textOf(thinking)) + textWeight(arguments_);
}

function deltaWeight({ text, thinking, partial_json: json }: Fields): number {
  return textWeight(textOf(text)) + textWeight(textOf(thinking)) + textWeight(textOf(json));
}
