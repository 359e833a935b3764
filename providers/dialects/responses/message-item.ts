/** Writes the text and refusals of the model as the events of a streamed response. */
import type { DialectEvent } from '../../dialect-adapter.ts';
import { GrowingText } from '../../../platform/growing-text.ts';
import type { Fields } from '../../../domain/fields.ts';

/** Numbers an event and passes it on. */
export type Emit = (event: DialectEvent) => void;

/** The status of an ended item. `incomplete` means that the model ran out of tokens within it. */
export type ItemStatus = 'completed' | 'incomplete';

/** An item's id and its index in the answer. Its events contain both. */
export interface ItemPlace {
  id: string;
  index: number;
}

/** Writes a message of the model as events. Objects in an event never change after the event was written. */
export class MessageItem {
  readonly #place: { item_id: string; output_index: number };
  readonly #emit: Emit;
  readonly #content: Fields[] = [];
  #open: 'text' | 'refusal' | undefined;
  #text = new GrowingText();
  #logprobs: unknown[] = [];
  #annotations: Fields[] = [];

  constructor({ id, index }: ItemPlace, emit: Emit) {
    this.#place = { item_id: id, output_index: index };
    this.#emit = emit;
    emit({ type: 'response.output_item.added', output_index: index, item: this.#item('in_progress', []) });
  }

  addText(delta: string, logprobs: unknown[]): void {
    if (this.#open !== 'text')
      this.#begin('text', { type: 'output_text', text: '', annotations: [], logprobs: [] });
    this.#text.add(delta);
    if (logprobs.length > 0) this.#logprobs.push(...logprobs);
    const { item_id, output_index } = this.#place;
    this.#emit({
      type: 'response.output_text.delta',
      item_id,
      output_index,
      content_index: this.#content.length,
      delta,
      logprobs,
    });
  }

  /** Adds a source to the open text. */
  addAnnotation(annotation: Fields): void {
    if (this.#open !== 'text') this.addText('', []);
    this.#annotations.push(annotation);
    this.#emit({
      type: 'response.output_text.annotation.added',
      ...this.#place,
      content_index: this.#content.length,
      annotation_index: this.#annotations.length - 1,
      annotation,
    });
  }

  addRefusal(delta: string): void {
    if (this.#open !== 'refusal') this.#begin('refusal', { type: 'refusal', refusal: '' });
    this.#text.add(delta);
    this.#emit({
      type: 'response.refusal.delta',
      ...this.#place,
      content_index: this.#content.length,
      delta,
    });
  }

  /** Ends the item and returns the complete item. */
  close(status: ItemStatus): Fields {
    this.#end();
    const item = this.#item(status, this.#content);
    this.#emit({ type: 'response.output_item.done', output_index: this.#place.output_index, item });
    return item;
  }

  #begin(kind: 'text' | 'refusal', part: Fields): void {
    this.#end();
    this.#open = kind;
    const content_index = this.#content.length;
    this.#emit({ type: 'response.content_part.added', ...this.#place, content_index, part });
  }

  #end(): void {
    if (this.#open === undefined) return;
    const at = { ...this.#place, content_index: this.#content.length };
    const text = this.#text.toString();
    const logprobs = this.#logprobs;
    const isText = this.#open === 'text';
    const part = isText
      ? { type: 'output_text', text, annotations: this.#annotations, logprobs }
      : { type: 'refusal', refusal: text };
    if (isText) this.#emit({ type: 'response.output_text.done', ...at, text, logprobs });
    else this.#emit({ type: 'response.refusal.done', ...at, refusal: text });
    this.#emit({ type: 'response.content_part.done', ...at, part });
    this.#content.push(part);
    this.#open = undefined;
    this.#text = new GrowingText();
    this.#logprobs = [];
    this.#annotations = [];
  }

  #item(status: ItemStatus | 'in_progress', content: Fields[]): Fields {
    return { id: this.#place.item_id, type: 'message', status, role: 'assistant', content };
  }
}
