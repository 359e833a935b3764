/** Meters an answer in Anthropic's dialect for billing. */
import type { OpenAiUsage } from '../../../providers/chat-adapter.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { mergeUsage } from '../../../providers/dialects/messages/events-to-chunks.ts';
import { usageToChat } from '../../../providers/dialects/messages/usage.ts';
import { answeringModel } from '../answering-model.ts';
import { TextMeter } from '../pipeline/text-meter.ts';
import { textWeight } from '../token-estimate.ts';

/** Counts the tokens of a stream of Anthropic's events as they pass. */
export class MessagesMeter extends TextMeter {
  /** The upstream's usage so far, under Anthropic's names. */
  reported: Fields = {};
  toolCalls = 0;
  /** True when a final count has arrived. `isLast`: it came together with the stop reason. */
  #isCounted = false;

  get counted(): OpenAiUsage | undefined {
    return countedIn(this.reported);
  }

  addEvent({ type, message, content_block: block, delta, usage }: DialectEvent): void {
    if (type === 'message_start' && isFields(message)) {
      this.upstreamId = textOf(message['id']) || null;
      this.responseModel = answeringModel(message);
      this.#count(message['usage']);
    } else if (type === 'content_block_start' && isFields(block)) {
      if (block['type'] === 'tool_use') this.toolCalls += 1;
      this.weight += blockWeight(block);
    } else if (type === 'content_block_delta' && isFields(delta)) this.weight += deltaWeight(delta);
    else if (type === 'message_delta' && isFields(delta)) {
      if (typeof delta['stop_reason'] === 'string') this.finishReason = delta['stop_reason'];
      this.#isCounted ||= isFields(usage) && typeof usage['output_tokens'] === 'number';
      this.isLast = this.#isCounted && this.finishReason !== null;
      this.#count(usage);
    }
  }

  protected isFinal(isWhole: boolean): boolean {
    // Without a final count there is only the output count of one from the start of the stream.
    return this.isLast || (isWhole && this.#isCounted);
  }

  #count(usage: unknown): void {
    if (!isFields(usage)) return;
    this.reported = mergeUsage(this.reported, usage);
    this.serviceTier = textOf(this.reported['service_tier']) || null;
  }
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
  const meter = new MessagesMeter();
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
