/** Translates the events of Bedrock's ConverseStream to those of Anthropic's dialect. */
import type { IncomingHttpHeaders } from 'node:http';
import type { EventStreamCodec } from '@smithy/core/event-streams';
import { type Fields, fieldsOf, isFields, textOf } from '../../domain/fields.ts';
import { MessageRepair } from '../anthropic/message-repair.ts';
import { dropLongFacts, malformedAnswer, objectOf } from '../answer-checks.ts';
import { isCount } from '../counts.ts';
import type { DialectEvent } from '../dialect-adapter.ts';
import { newMessage, newToolUse } from '../dialects/messages/new-message.ts';
import type { EventLimits, EventParser, StreamEvent } from '../event-stream.ts';
import type { NoteRepair } from '../repairs.ts';
import type { EventReader } from '../streamed-answer.ts';
import { inBandError } from '../vendor-error.ts';
import { requestIdOf, stopOf, toBlocks, toUsage } from './converse-answer.ts';
import { EXCEPTION, FrameParser } from './frames.ts';

/** The texts of blocks that arrive in pieces. */
const GROWING = ['text', 'thinking', 'signature'];

export interface ConverseReaderOptions {
  model: string;
  codec: EventStreamCodec;
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
  #usage: Fields = {};

  constructor(options: ConverseReaderOptions) {
    this.#options = options;
    this.#repair = new MessageRepair(options.note);
  }

  createParser(limits: EventLimits): EventParser {
    return new FrameParser(this.#options.codec, limits);
  }

  begin(headers: IncomingHttpHeaders): void {
    this.#id = requestIdOf(headers);
  }

  read({ type, data }: StreamEvent, secrets: readonly string[]): DialectEvent[] | 'end' | undefined {
    const { model } = this.#options;
    const fields = objectOf(JSON.parse(data));
    if (type.startsWith(EXCEPTION))
      throw inBandError({ ...fields, code: type.slice(EXCEPTION.length) }, secrets);
    dropLongFacts(data.length, fields, ['usage', 'stopReason']);
    const events = this.#eventsOf(type, fields);
    if (this.#hasBegun || !Array.isArray(events)) return events;
    this.#hasBegun = true;
    return [{ type: 'message_start', message: newMessage(this.#id, model) }, ...events];
  }

  /** Returns the last event. Throws ProviderError for an answer that has no content, and no reason for that. */
  rest(): DialectEvent[] {
    const stop = { stop_sequence: null, stop_details: null, container: null, ...this.#stop };
    const missing = this.#repair.missingReason();
    const delta = missing === undefined ? stop : { ...stop, stop_reason: missing };
    return [{ type: 'message_delta', delta, usage: this.#usage }];
  }

  isWhole(): boolean {
    return this.#stop !== undefined;
  }

  /** Returns the events for one of Bedrock's; undefined for an unknown one. */
  #eventsOf(type: string, fields: Fields): DialectEvent[] | 'end' | undefined {
    switch (type) {
      case 'messageStart':
        return [];
      case 'contentBlockStart':
        return this.#start(indexIn(fields), fieldsOf(fields['start']));
      case 'contentBlockDelta':
        return this.#delta(indexIn(fields), fields['delta']);
      case 'contentBlockStop': {
        const index = indexIn(fields);
        return this.#open.delete(index) ? [{ type: 'content_block_stop', index }] : [];
      }
      case 'messageStop':
        this.#stop = stopOf(fields['stopReason'], this.#hasContent);
        this.#repair.addReason(this.#stop);
        return [];
      case 'metadata':
        this.#usage = toUsage(fields, this.#options.note) ?? {};
        return 'end';
      default:
        return undefined;
    }
  }

  #start(index: number, { toolUse: call }: Fields): DialectEvent[] {
    return isFields(call) ? this.#opened(index, newToolUse(textOf(call['toolUseId']), call['name'], {})) : [];
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
    const { toolUse } = delta;
    if (!isFields(toolUse)) return toBlocks(delta).flatMap((piece) => this.#grown(index, piece));
    const json = textOf(toolUse['input']);
    return json === '' ? [] : [this.#piece(index, { type: 'input_json_delta', partial_json: json })];
  }

  /** Returns the events for a piece of a block, which starts with its first piece. */
  #grown(index: number, piece: Fields): DialectEvent[] {
    const names = GROWING.filter((name) => textOf(piece[name]) !== '');
    const pieces = names.map((name) => this.#piece(index, { type: `${name}_delta`, [name]: piece[name] }));
    if (this.#open.has(index)) return pieces;
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    return [...this.#opened(index, { ...piece, ...empty }), ...pieces];
  }

  #piece(index: number, delta: Fields): DialectEvent {
    this.#repair.addPiece(delta);
    return { type: 'content_block_delta', index, delta };
  }
}

function indexIn({ contentBlockIndex: index }: Fields): number {
  if (isCount(index)) return index;
  throw malformedAnswer('an event of no block');
}
