/** Tracks the function calls of a streamed answer until each one is complete. */
import { randomUUID } from 'node:crypto';
import { type Fields, textOf } from '../../../domain/fields.ts';
import type { FunctionName, FunctionNames } from './function-names.ts';
import type { Emit, ItemPlace, ItemStatus } from './message-item.ts';
import { GrowingText } from '../../../platform/growing-text.ts';

/** A tool call of a chat, or a piece of a call. `index` identifies the call, and only the first piece has a name. */
export interface CallPiece {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

interface OpenCall {
  id: string;
  /** The item and its place, absent until the name is known. */
  started?: { item: CallItem; place: ItemPlace };
  /** Arguments that arrived before the name. */
  earlyArguments: string;
}

/** Collects the calls of one answer; vendors may send them one after the other or all at once. */
export class OpenCalls {
  readonly #newPlace: () => ItemPlace;
  readonly #emit: Emit;
  readonly #names: FunctionNames;
  readonly #calls: OpenCall[] = [];
  readonly #byKey = new Map<unknown, OpenCall>();

  constructor(newPlace: () => ItemPlace, names: FunctionNames, emit: Emit) {
    this.#newPlace = newPlace;
    this.#names = names;
    this.#emit = emit;
  }

  /**
   * Adds a piece of a call. `position` is its place in the chunk, which identifies the call when the piece has no
   * index.
   */
  add({ index, id, function: called }: CallPiece, position: number): void {
    const key = index ?? position;
    let call = this.#byKey.get(key);
    // Vendors that send no index give each call its own id; others repeat the id with every piece.
    if (call === undefined || (call.id !== '' && textOf(id) !== '' && call.id !== id)) {
      call = { id: '', earlyArguments: '' };
      this.#calls.push(call);
      this.#byKey.set(key, call);
    }
    call.id ||= textOf(id);
    const name = textOf(called?.name);
    const delta = textOf(called?.arguments);
    if (call.started === undefined && name === '') call.earlyArguments += delta;
    else this.#begin(call, name).item.addArguments(delta);
  }

  /** Ends all calls and returns their items by index. Only the last one may be incomplete. */
  close(status: ItemStatus): Map<number, Fields> {
    const items = new Map<number, Fields>();
    for (const [order, call] of this.#calls.entries()) {
      const { item, place } = this.#begin(call, '');
      items.set(place.index, item.close(order === this.#calls.length - 1 ? status : 'completed'));
    }
    return items;
  }

  #begin(call: OpenCall, name: string): NonNullable<OpenCall['started']> {
    if (call.started !== undefined) return call.started;
    const place = this.#newPlace();
    // A call needs an id, because the caller returns the result under it.
    const called = { call_id: call.id || `call_${randomUUID()}`, ...this.#names.called(name) };
    const item = new CallItem(place, called, this.#emit);
    call.started = { item, place };
    item.addArguments(call.earlyArguments);
    return call.started;
  }
}

/** The called function, and the id under which the caller returns its result. */
type FunctionCall = FunctionName & { call_id: string };

/** One output item of the Responses API: a function call whose arguments arrive in pieces. */
class CallItem {
  readonly #place: { item_id: string; output_index: number };
  readonly #emit: Emit;
  readonly #call: FunctionCall;
  readonly #arguments = new GrowingText();

  constructor({ id, index }: ItemPlace, call: FunctionCall, emit: Emit) {
    this.#place = { item_id: id, output_index: index };
    this.#emit = emit;
    this.#call = call;
    emit({ type: 'response.output_item.added', output_index: index, item: this.#item('in_progress') });
  }

  addArguments(delta: string): void {
    if (delta === '') return;
    this.#arguments.add(delta);
    this.#emit({ type: 'response.function_call_arguments.delta', ...this.#place, delta });
  }

  /** Sends the last events and returns the complete item. */
  close(status: ItemStatus): Fields {
    this.#emit({
      type: 'response.function_call_arguments.done',
      ...this.#place,
      name: this.#call.name,
      arguments: this.#arguments.toString(),
    });
    const item = this.#item(status);
    this.#emit({ type: 'response.output_item.done', output_index: this.#place.output_index, item });
    return item;
  }

  #item(status: ItemStatus | 'in_progress'): Fields {
    const { item_id: id } = this.#place;
    return { id, type: 'function_call', status, ...this.#call, arguments: this.#arguments.toString() };
  }
}
