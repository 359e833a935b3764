/** Translates the events of Bedrock's ConverseStream to those of Anthropic's dialect. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, isFields, textOf } from '../../domain/fields.ts';
import { MessageRepair } from '../anthropic/message-repair.ts';
import { dropLongFacts, malformedAnswer, objectOf } from '../answer-checks.ts';
import { isCount } from '../counts.ts';
import type { DialectEvent } from '../dialect-adapter.ts';
import { newMessage, newToolUse } from '../dialects/messages/new-message.ts';
import type { EventParser, StreamEvent } from '../event-stream.ts';
import type { NoteRepair } from '../repairs.ts';
import type { EventReader } from '../streamed-answer.ts';
import { inBandError } from '../vendor-error.ts';
import { requestIdOf, stopOf, textBlock, toUsage } from './converse-answer.ts';
import { type DecodeFrame, EXCEPTION, FrameParser } from './frames.ts';

export interface ConverseReaderOptions {
  model: string;
  decode: DecodeFrame;
  note: NoteRepair;
}

/**
 * Reads the events of one stream. `metadata`, with the counts, is the last one. A stream without it is complete if the
 * model gave a stop reason. Blocks of text and thoughts have no event for their start.
 */
export class ConverseReader implements EventReader<DialectEvent[]> {
  readonly #options: ConverseReaderOptions;
  readonly #repair: MessageRepair;
  /** The indices of the blocks that have started and not ended. */
  readonly #open = new Set<number>();
  #id: string | undefined;
  #hasBegun = false;
  #hasContent = false;
  #stop: Fields | undefined;
  #isOver = false;

  constructor(options: ConverseReaderOptions) {
    this.#options = options;
    this.#repair = new MessageRepair(options.note);
  }

  createParser(limits: Parameters<NonNullable<EventReader<unknown>['createParser']>>[0]): EventParser {
    return new FrameParser(this.#options.decode, limits);
  }

  begin(headers: IncomingHttpHeaders): void {
    this.#id = requestIdOf(headers);
  }

  read({ type, data }: StreamEvent, secrets: readonly string[]): DialectEvent[] | undefined {
    const fields = objectOf(JSON.parse(data));
    if (type.startsWith(EXCEPTION))
      throw inBandError({ ...fields, code: type.slice(EXCEPTION.length) }, secrets);
    dropLongFacts(data.length, fields, ['usage', 'stopReason']);
    const events = this.#eventsOf(type, fields);
    return events.length === 0 ? undefined : events;
  }

  rest(): DialectEvent[] | undefined {
    const stop = this.#stopReason();
    return this.#isOver ? undefined : [lastEvent(stop, {})];
  }

  isWhole(): boolean {
    return this.#stop !== undefined;
  }

  isOver(): boolean {
    return this.#isOver;
  }

  #eventsOf(type: string, fields: Fields): DialectEvent[] {
    switch (type) {
      case 'messageStart':
        return this.#begun([]);
      case 'contentBlockStart':
        return this.#begun(this.#start(indexIn(fields), fields['start']));
      case 'contentBlockDelta':
        return this.#begun(this.#delta(indexIn(fields), fields['delta']));
      case 'contentBlockStop':
        return this.#end(indexIn(fields));
      case 'messageStop':
        this.#stop = stopOf(fields['stopReason'], this.#hasContent);
        this.#repair.addReason(this.#stop);
        return [];
      case 'metadata':
        return this.#count(fields);
      default:
        return [];
    }
  }

  /** Returns the events, after the beginning of the message if it has not begun. */
  #begun(events: DialectEvent[]): DialectEvent[] {
    if (this.#hasBegun) return events;
    this.#hasBegun = true;
    return [{ type: 'message_start', message: newMessage(this.#id, this.#options.model) }, ...events];
  }

  #start(index: number, start: unknown): DialectEvent[] {
    const call = isFields(start) ? start['toolUse'] : undefined;
    if (!isFields(call)) return [];
    return this.#opened(index, newToolUse(textOf(call['toolUseId']), call['name'], {}));
  }

  #opened(index: number, block: Fields): DialectEvent[] {
    if (this.#open.has(index)) return [];
    this.#open.add(index);
    this.#repair.addBlock(block);
    this.#hasContent = true;
    return [{ type: 'content_block_start', index, content_block: block }];
  }

  #delta(index: number, delta: unknown): DialectEvent[] {
    if (!isFields(delta)) throw malformedAnswer('a delta without content');
    const { text, toolUse, reasoningContent: thought } = delta;
    if (typeof text === 'string')
      return [...this.#opened(index, textBlock('')), ...this.#piece(index, { type: 'text_delta', text })];
    if (isFields(toolUse)) {
      const json = textOf(toolUse['input']);
      return json === '' ? [] : this.#piece(index, { type: 'input_json_delta', partial_json: json });
    }
    return isFields(thought) ? this.#thought(index, thought) : [];
  }

  #thought(index: number, { text, signature, redactedContent: data }: Fields): DialectEvent[] {
    if (typeof data === 'string') return this.#opened(index, { type: 'redacted_thinking', data });
    const started = this.#opened(index, { type: 'thinking', thinking: '', signature: '' });
    if (typeof text === 'string')
      return [...started, ...this.#piece(index, { type: 'thinking_delta', thinking: text })];
    if (typeof signature !== 'string') return started;
    return [...started, ...this.#piece(index, { type: 'signature_delta', signature })];
  }

  #piece(index: number, delta: Fields): DialectEvent[] {
    this.#repair.addPiece(delta);
    return [{ type: 'content_block_delta', index, delta }];
  }

  #end(index: number): DialectEvent[] {
    return this.#open.delete(index) ? [{ type: 'content_block_stop', index }] : [];
  }

  #count({ usage, serviceTier }: Fields): DialectEvent[] {
    this.#isOver = true;
    const counted = toUsage(usage, serviceTier, this.#options.note) ?? {};
    return this.#begun([lastEvent(this.#stopReason(), counted)]);
  }

  /** Returns the stop reason. Throws ProviderError for an answer that has no content, and no reason for that. */
  #stopReason(): Fields {
    const missing = this.#repair.missingReason();
    if (missing !== undefined) this.#repair.addReason((this.#stop = { stop_reason: missing }));
    return this.#stop ?? {};
  }
}

function lastEvent(stop: Fields, usage: Fields): DialectEvent {
  const delta = { stop_sequence: null, stop_details: null, container: null, ...stop };
  return { type: 'message_delta', delta, usage };
}

function indexIn({ contentBlockIndex: index }: Fields): number {
  if (isCount(index)) return index;
  throw malformedAnswer('an event of no block');
}
