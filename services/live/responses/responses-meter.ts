/** Meters an answer in the Responses dialect for billing. */
import type { OpenAiUsage } from '../../../providers/chat-adapter.ts';
import type { DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { toChatUsage } from '../../../providers/dialects/responses/usage.ts';
import { answeringModel } from '../answering-model.ts';
import { TextMeter } from '../pipeline/text-meter.ts';
import { textWeight } from '../token-estimate.ts';

/**
 * Counts the tokens of a response as its events pass. The upstream's final count is in its last event; earlier counts
 * may lag behind.
 */
export class ResponsesMeter extends TextMeter {
  counted: OpenAiUsage | undefined;
  toolCalls = 0;

  addEvent({ type, delta, item, response }: DialectEvent): void {
    if (type === 'response.audio.delta') this.noteMedium('audio');
    else if (typeof delta === 'string') this.weight += textWeight(delta);
    else if (type === 'response.output_item.added' && isFields(item)) this.#addItem(item);
    else if (isFields(response)) {
      this.upstreamId ??= textOf(response['id']) || null;
      this.responseModel ??= answeringModel(response);
      this.serviceTier = textOf(response['service_tier']) || this.serviceTier;
      const usage = toChatUsage(response['usage']);
      this.counted = usage ?? this.counted;
      this.isLast ||= type === 'response.failed' && usage !== undefined;
      this.finishReason = finishReasonOf(response) ?? this.finishReason;
    }
  }

  #addItem(item: Fields): void {
    if (isCall(item)) this.toolCalls += 1;
    else if (item['type'] === 'image_generation_call') this.noteMedium('image');
    else if (fieldsIn(item['content']).some(({ type }) => type === 'output_audio')) this.noteMedium('audio');
  }

  protected isFinal(): boolean {
    return this.isLast || this.finishReason !== null;
  }
}

/** Counts a whole response as if it were a stream. */
export function meterOf(response: DialectObject): ResponsesMeter {
  const meter = new ResponsesMeter();
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
