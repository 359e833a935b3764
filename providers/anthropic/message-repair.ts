/** Repairs the tool calls and the stop reason of Anthropic's messages, whole and streamed. */
import { type Fields, isFields } from '../../domain/fields.ts';
import { malformedAnswer } from '../answer-checks.ts';
import type { NoteRepair } from '../repairs.ts';

/** The stop reasons with which servers end an answer that calls tools, although it is complete. */
const USUAL_ENDS = new Set(['end_turn', 'stop']);

/** Repairs one message, and knows what it has contained so far. */
export class MessageRepair {
  readonly #note: NoteRepair;
  #hasContent = false;
  #hasCalls = false;
  #reason: string | undefined;

  constructor(note: NoteRepair) {
    this.#note = note;
  }

  /** Repairs a block, or the start of one, in place. */
  addBlock(block: Fields): void {
    const { type, text, thinking } = block;
    if (type === 'tool_use') {
      this.#hasCalls = true;
      this.#repairInput(block);
    }
    this.#hasContent ||= type === 'text' ? isWord(text) : type !== 'thinking' || isWord(thinking);
  }

  /** Records a further piece of a block. */
  addPiece({ text, thinking, partial_json: json }: Fields): void {
    this.#hasContent ||= isWord(text) || isWord(thinking) || isWord(json);
  }

  /** Repairs in place the stop reason of a message, or of the event that ends its stream. */
  addReason(holder: Fields): void {
    const { stop_reason: reason } = holder;
    if (typeof reason !== 'string') return;
    this.#reason = reason;
    if (!this.#hasCalls || !USUAL_ENDS.has(reason)) return;
    holder['stop_reason'] = 'tool_use';
    this.#note('finish_reason');
  }

  /**
   * Returns the stop reason of a message that has ended without one; undefined if it has one. Throws ProviderError for
   * a message without content, unless it says why: a model may end its turn without a word.
   */
  missingReason(): string | undefined {
    if (!this.#hasContent && (this.#reason ?? 'tool_use') === 'tool_use') throw malformedAnswer('no content');
    if (this.#reason !== undefined) return undefined;
    this.#note('finish_reason');
    return this.#hasCalls ? 'tool_use' : 'end_turn';
  }

  /** Makes the input of a tool call an object. Some servers send JSON text, and nothing or `[]` for an empty input. */
  #repairInput(block: Fields): void {
    if (isFields(block['input'])) return;
    block['input'] = inputOf(block['input']);
    this.#note('tool_calls');
  }
}

function isWord(text: unknown): boolean {
  return typeof text === 'string' && text !== '';
}

function inputOf(input: unknown): Fields {
  if (input === undefined || input === null || input === '') return {};
  const value = typeof input === 'string' ? parsed(input) : input;
  if (isFields(value)) return value;
  if (Array.isArray(value) && value.length === 0) return {};
  throw malformedAnswer('a tool call whose input is no object');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
