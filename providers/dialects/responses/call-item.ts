/** Writes a function call of the model as the events of a streamed response. */
import { GrowingText } from '../../../platform/growing-text.ts';
import type { Fields } from '../../../domain/fields.ts';
import type { FunctionName } from './function-names.ts';
import type { Emit, ItemPlace, ItemStatus } from './message-item.ts';

/** The called function, and the id under which the caller returns its result. */
export type FunctionCall = FunctionName & { call_id: string };

/** One output item of the Responses API: a function call whose arguments arrive in pieces. */
export class CallItem {
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
