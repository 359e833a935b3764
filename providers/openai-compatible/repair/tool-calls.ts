/** Repairs the tool calls of chat answers: their places, ids and arguments. */
import { randomUUID } from 'node:crypto';
import { isObject } from '../../answer-checks.ts';
import type { NoteRepair } from '../../repairs.ts';

type Fields = Record<string, unknown>;

/** The memory that a call takes beside its id and name. */
const CALL_BYTES = 200;

interface Call {
  /** The index that the vendor uses for the call; undefined if it sends none. */
  vendorIndex: number | undefined;
  id: string;
  name: string;
  hasArguments: boolean;
}

/**
 * Puts the pieces of one choice's tool calls in order. The wire identifies a piece by its `index`. Some servers send
 * none, or the same one for all calls, so a piece with a new id and a name begins a call too.
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
    const { id, name } = { id: textOf(piece['id']), name: textOf(called['name']) };
    const vendorIndex = indexOf(piece['index']);
    let place = this.#placeOf(vendorIndex, id, name);
    if (place === -1) {
      place = this.#calls.length;
      this.#begin(piece, { vendorIndex, id, name, hasArguments: false });
    } else if (this.#calls[place]!.name === name) {
      // Clients add up the names of all pieces.
      delete called['name'];
      if (id !== '') delete piece['id'];
    }
    const call = this.#calls[place]!;
    if (called['arguments'] !== undefined && called['arguments'] !== '') call.hasArguments = true;
    if (piece['index'] === place) return;
    piece['index'] = place;
    this.#note('tool_calls');
  }

  #begin(piece: Fields, call: Call): void {
    if (call.id === '') {
      // The caller returns the result under the id.
      call.id = `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
      piece['id'] = call.id;
      this.#note('tool_calls');
    }
    piece['type'] ??= 'function';
    this.#keep(CALL_BYTES + call.id.length + call.name.length);
    this.#calls.push(call);
  }

  /** Returns the place of the call to which a piece belongs; -1 for a new call. */
  #placeOf(vendorIndex: number | undefined, id: string, name: string): number {
    const known = id === '' ? -1 : this.#calls.findIndex((call) => call.id === id);
    if (known !== -1) return known;
    const last = this.#calls.findLastIndex(
      (call) => vendorIndex === undefined || call.vendorIndex === vendorIndex,
    );
    if (last === -1 || name === '') return last;
    const { id: lastId, name: lastName, hasArguments } = this.#calls[last]!;
    const isAnother = id !== '' && id !== lastId;
    if (isAnother) return -1;
    // Without ids and indexes, a name after a complete name begins a call. With an index, it may be the rest of a name.
    return vendorIndex === undefined && (hasArguments || lastName !== '') ? -1 : last;
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
      call['id'] = `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
      note('tool_calls');
    }
    ids.add(textOf(call['id']));
    call['type'] ??= 'function';
  }
}

/** Returns the function of a call or a piece, with its arguments as text. */
function functionOf(piece: Fields, note: NoteRepair): Fields {
  if (!isObject(piece['function'])) {
    const { name, arguments: given } = piece;
    piece['function'] = {
      ...(name === undefined ? {} : { name }),
      ...(given === undefined ? {} : { arguments: given }),
    };
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
