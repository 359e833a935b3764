/** Repairs the tool calls of chat answers: their places, ids and arguments. */
import { randomUUID } from 'node:crypto';
import { type Fields, isFields } from '../../../domain/fields.ts';
import type { NoteRepair } from '../../repairs.ts';

/** The memory that a call takes beside its id and name. */
const CALL_BYTES = 200;

interface Call {
  /** The index that the vendor uses for the call; undefined if it sends none. */
  vendorIndex: number | undefined;
  /** The id that the vendor uses for the call; empty if it sends none. */
  vendorId: string;
  /** The id that the caller gets. */
  id: string;
  name: string;
  hasArguments: boolean;
  /** True: the arguments so far end like those of a complete call. */
  endsObject: boolean;
}

/** The facts of a piece that say to which call it belongs. */
interface PieceFacts {
  vendorIndex: number | undefined;
  id: string;
  name: string;
  given: string;
}

/**
 * Puts the pieces of one choice's tool calls in order. The wire identifies a piece by its `index`. Some servers send
 * none, or the same one for all calls, and some the same id, so a piece with another id or name begins a call too.
 */
export class ToolCallParts {
  readonly #note: NoteRepair;
  readonly #keep: (bytes: number) => void;
  readonly #calls: Call[] = [];

  /** `keep` is called with the memory of each new call. */
  constructor(note: NoteRepair, keep: (bytes: number) => void) {
    this.#note = note;
    this.#keep = keep;
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** Repairs the pieces that arrived in one chunk, in place. */
  repair(pieces: readonly Fields[]): void {
    for (const piece of pieces) this.#repairPiece(piece);
  }

  /** Returns pieces with empty arguments for the calls whose arguments never arrived. */
  missingArguments(): Fields[] {
    return this.#calls.flatMap((call, index) => {
      if (call.hasArguments) return [];
      call.hasArguments = true;
      this.#note('tool_calls');
      return [{ index, function: { arguments: '{}' } }];
    });
  }

  #repairPiece(piece: Fields): void {
    const called = functionOf(piece, this.#note);
    const facts: PieceFacts = {
      vendorIndex: indexOf(piece['index']),
      id: textOf(piece['id']),
      name: textOf(called['name']),
      given: textOf(called['arguments']),
    };
    let place = this.#placeOf(facts);
    if (place === -1) {
      place = this.#calls.length;
      this.#begin(piece, facts);
    } else if (facts.id !== '' || facts.name !== '') this.#continue(this.#calls[place]!, piece, called);
    if (facts.given !== '') {
      const call = this.#calls[place]!;
      call.hasArguments = true;
      call.endsObject = /\}\s*$/.test(facts.given);
    }
    if (piece['index'] === place) return;
    piece['index'] = place;
    this.#note('tool_calls');
  }

  #begin(piece: Fields, { vendorIndex, id: vendorId, name }: PieceFacts): void {
    let id = vendorId;
    if (id === '' || this.#calls.some((call) => call.id === id)) {
      // The caller returns the result under the id.
      id = newId();
      piece['id'] = id;
      this.#note('tool_calls');
    }
    piece['type'] ??= 'function';
    this.#keep(CALL_BYTES + id.length + name.length);
    this.#calls.push({ vendorIndex, vendorId, id, name, hasArguments: false, endsObject: false });
  }

  /** Removes from a later piece of a call what the caller knows. Clients add up the ids and names of all pieces. */
  #continue(call: Call, piece: Fields, called: Fields): void {
    if (piece['id'] !== undefined) delete piece['id'];
    if (called['name'] === call.name) delete called['name'];
    else call.name += textOf(called['name']);
  }

  /** Returns the place of the call to which a piece belongs; -1 for a new call. */
  #placeOf({ vendorIndex, id, name, given }: PieceFacts): number {
    const known = id === '' ? -1 : this.#calls.findLastIndex(({ vendorId }) => vendorId === id);
    if (known !== -1 && this.#isPieceOf(this.#calls[known]!, vendorIndex, name)) return known;
    const last = this.#calls.findLastIndex(
      (call) => vendorIndex === undefined || call.vendorIndex === vendorIndex,
    );
    // A call needs a name, so a piece without one belongs to a call that has begun.
    if (last === -1) return name === '' ? known : -1;
    if (name === '') return last;
    const call = this.#calls[last]!;
    if (id !== '' && id !== call.vendorId) return -1;
    // Without ids and indexes, a name after a complete name begins a call. With an index, it may be the rest of a name.
    if (vendorIndex === undefined) return call.hasArguments || call.name !== '' ? -1 : last;
    const beginsAnew = name !== call.name || (id === '' && call.endsObject && /^\s*\{/.test(given));
    return call.hasArguments && beginsAnew ? -1 : last;
  }

  /** Returns whether a piece with a call's id belongs to that call: some servers give several calls the same id. */
  #isPieceOf(call: Call, vendorIndex: number | undefined, name: string): boolean {
    const isSamePlace = vendorIndex === undefined || call.vendorIndex === vendorIndex;
    return isSamePlace && (name === '' || name === call.name);
  }
}

/** Repairs the tool calls of a whole answer, in place. */
export function repairCalls(calls: readonly Fields[], note: NoteRepair): void {
  const ids = new Set<string>();
  for (const call of calls) {
    const called = functionOf(call, note);
    if (called['arguments'] === undefined || called['arguments'] === '') {
      called['arguments'] = '{}';
      note('tool_calls');
    }
    const id = textOf(call['id']);
    if (id === '' || ids.has(id)) {
      call['id'] = newId();
      note('tool_calls');
    }
    ids.add(textOf(call['id']));
    call['type'] ??= 'function';
  }
}

function newId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

/** Returns the function of a call or a piece, with its arguments as text. */
function functionOf(piece: Fields, note: NoteRepair): Fields {
  if (!isFields(piece['function'])) {
    const { name, arguments: given } = piece;
    piece['function'] = { name, arguments: given };
    delete piece['name'];
    delete piece['arguments'];
    note('tool_calls');
  }
  const called = piece['function'] as Fields;
  const given = called['arguments'];
  if (given === null) delete called['arguments'];
  else if (given !== undefined && typeof given !== 'string') {
    called['arguments'] = JSON.stringify(given);
    note('tool_calls');
  }
  if (called['name'] === null) delete called['name'];
  return called;
}

/** Returns a place; undefined when the vendor sends none. Some servers send numbers as text. */
function indexOf(value: unknown): number | undefined {
  const index = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
