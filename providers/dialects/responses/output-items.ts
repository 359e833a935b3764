/** Builds the list of output items of a response from a chat's answer, and opens and closes each item. */
import { type Fields, textOf } from '../../../domain/fields.ts';
import { toImageItem } from './answer-parts.ts';
import type { FunctionNames } from './function-names.ts';
import { type Emit, type ItemPlace, type ItemStatus, MessageItem } from './message-item.ts';
import { type CallPiece, OpenCalls } from './open-calls.ts';
import { ReasoningItem } from './reasoning-item.ts';

/**
 * Collects the items of one answer in the order in which the model starts them. A thought or a message ends when
 * another item starts. Calls of functions may be open at the same time.
 */
export class OutputItems {
  readonly #emit: Emit;
  readonly #idBase: string;
  readonly #done: Fields[] = [];
  #started = 0;
  #thought: { item: ReasoningItem; place: ItemPlace; key: unknown } | undefined;
  #message: { item: MessageItem; place: ItemPlace } | undefined;
  readonly #calls: OpenCalls;

  /**
   * Creates the items of an answer. `idBase` is the common part of their ids, and `names` holds the functions that
   * may be called.
   */
  constructor(idBase: string, names: FunctionNames, emit: Emit) {
    this.#idBase = idBase;
    this.#emit = emit;
    this.#calls = new OpenCalls(() => this.#newPlace('fc'), names, emit);
  }

  get isEmpty(): boolean {
    return this.#started === 0;
  }

  /**
   * Returns the thought with this key, or a new one. Pieces of one thought share a key; a piece without one belongs
   * to the open thought.
   */
  thought(key?: unknown, id?: unknown): ReasoningItem {
    const open = this.#thought;
    if (open !== undefined && (key === undefined || (open.key ??= key) === key)) return open.item;
    this.#closeOpenItem('completed');
    const place = this.#newPlace('rs', id);
    const item = new ReasoningItem(place, this.#emit);
    this.#thought = { item, place, key };
    return item;
  }

  message(): MessageItem {
    if (this.#message !== undefined) return this.#message.item;
    this.#closeOpenItem('completed');
    const place = this.#newPlace('msg');
    const item = new MessageItem(place, this.#emit);
    this.#message = { item, place };
    return item;
  }

  addImage(image: Fields): void {
    this.#closeOpenItem('completed');
    const { id, index } = this.#newPlace('ig');
    const item = toImageItem(image, id);
    const started = { ...item, status: 'in_progress', result: null };
    this.#emit({ type: 'response.output_item.added', output_index: index, item: started });
    this.#emit({ type: 'response.output_item.done', output_index: index, item });
    this.#done[index] = item;
  }

  addCalls(pieces: readonly unknown[]): void {
    this.#closeOpenItem('completed');
    for (const [position, piece] of pieces.entries()) this.#calls.add(piece as CallPiece, position);
  }

  /** Ends all items and returns them in order. `status` applies to the items that were still open. */
  close(status: ItemStatus): Fields[] {
    this.#closeOpenItem(status);
    for (const [index, item] of this.#calls.close(status)) this.#done[index] = item;
    return this.#done;
  }

  #closeOpenItem(status: ItemStatus): void {
    for (const open of [this.#thought, this.#message])
      if (open !== undefined) this.#done[open.place.index] = open.item.close(status);
    this.#thought = undefined;
    this.#message = undefined;
  }

  #newPlace(kind: string, id?: unknown): ItemPlace {
    const index = this.#started;
    this.#started += 1;
    return { id: textOf(id) || `${kind}_${this.#idBase}${index}`, index };
  }
}
