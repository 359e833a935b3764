/** Translates streamed tool calls of a chat to Anthropic's events, one call after another. */
import { type Fields, isFields, textOf } from '../../../domain/fields.ts';
import type { EventBlocks } from './event-blocks.ts';
import { newToolUse } from './new-message.ts';

interface Call {
  /** The call's position among all calls of the answer. */
  order: number;
  id: string;
  name: string;
  /** Arguments that have arrived but were not written yet. */
  unwritten: string;
  end: ObjectEnd;
  /** The index of the call's block, once the block has started. */
  index?: number;
}

const KIND = 'tool_use';

/** The memory that a piece of a call takes beside its text. */
const PIECE_BYTES = 64;

/**
 * Writes the tool calls of a chat as blocks. Vendors may interleave several calls, and may send a call's id or name
 * after its arguments, but blocks must follow one another. So a call waits until the previous call has all its
 * arguments, or until the stream ends.
 */
export class CallBlocks {
  readonly #blocks: EventBlocks;
  readonly #calls: Call[] = [];
  readonly #byKey = new Map<unknown, Call>();
  /** The number of calls whose blocks have ended. */
  #ended = 0;

  readonly #keep: (bytes: number) => void;

  constructor(blocks: EventBlocks, keep: (bytes: number) => void) {
    this.#blocks = blocks;
    this.#keep = keep;
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /**
   * Adds a piece of a call. `position` is its place in the chunk, which identifies the call when the piece has no
   * index.
   */
  add(piece: Fields, position: number): void {
    const called = isFields(piece['function']) ? piece['function'] : {};
    const call = this.#callOf(piece['index'] ?? position, textOf(piece['id']));
    call.name ||= textOf(called['name']);
    const given = textOf(called['arguments']);
    this.#keep(PIECE_BYTES + given.length);
    call.unwritten += given;
    call.end.addText(given);
    if (call.order < this.#ended) this.#writeArguments(call);
    else this.#writeReady();
  }

  /** Writes all remaining calls at the end of the stream. */
  close(): void {
    while (this.#ended < this.#calls.length) this.#end(this.#calls[this.#ended]!);
  }

  #callOf(key: unknown, id: string): Call {
    let call = this.#byKey.get(key);
    // Vendors that send no index give each call its own id; others repeat the id with every piece.
    if (call === undefined || (call.id !== '' && id !== '' && call.id !== id)) {
      call = { order: this.#calls.length, id: '', name: '', unwritten: '', end: new ObjectEnd() };
      this.#calls.push(call);
      this.#byKey.set(key, call);
    }
    call.id ||= id;
    return call;
  }

  #writeReady(): void {
    for (;;) {
      const call = this.#calls[this.#ended];
      if (call === undefined || call.name === '') return;
      this.#writeArguments(call);
      const isLast = this.#ended === this.#calls.length - 1;
      if (isLast || !call.end.isOver) return;
      this.#end(call);
    }
  }

  #end(call: Call): void {
    this.#writeArguments(call);
    this.#blocks.close();
    this.#ended += 1;
  }

  #writeArguments(call: Call): void {
    call.index ??= this.#blocks.start(KIND, newToolUse(call.id, call.name, {}));
    if (call.unwritten === '') return;
    // The block may have ended already. The index identifies it all the same.
    this.#blocks.addDelta(call.index, { type: 'input_json_delta', partial_json: call.unwritten });
    call.unwritten = '';
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** Finds the end of a call's arguments, a JSON object that arrives in pieces. Reads every character once. */
class ObjectEnd {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  addText(piece: string): void {
    for (let i = 0; i < piece.length; i += 1) {
      const code = piece.charCodeAt(i);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === QUOTE) this.#isInText = !this.#isInText;
      else if (this.#isInText) this.#isEscaped = code === BACKSLASH;
      else if (OPENING.has(code)) this.#depth += 1;
      else if (CLOSING.has(code)) {
        this.#depth -= 1;
        this.#isOver ||= this.#depth === 0;
      }
    }
  }
}
