/** Writes the model's thoughts as the events of a streamed response. */
import { GrowingText } from '../../../platform/growing-text.ts';
import { type Fields, textOf } from '../../../domain/fields.ts';
import type { Emit, ItemPlace, ItemStatus } from './message-item.ts';

/** Data that a vendor requires with a thought that is sent back. */
interface Proof {
  signature?: string;
  encrypted_content?: string;
  format?: string;
}

/** Writes a thought of the model as events: its text, its summary or its encrypted form. */
export class ReasoningItem {
  readonly #place: { item_id: string; output_index: number };
  readonly #emit: Emit;
  #text: GrowingText | undefined;
  #summary: GrowingText | undefined;
  readonly #proof: Proof = {};

  constructor({ id, index }: ItemPlace, emit: Emit) {
    this.#place = { item_id: id, output_index: index };
    this.#emit = emit;
    const item = { id, type: 'reasoning', status: 'in_progress', summary: [] };
    emit({ type: 'response.output_item.added', output_index: index, item });
  }

  addText(delta: string): void {
    if (delta === '') return;
    const at = { ...this.#place, content_index: 0 };
    if (this.#text === undefined)
      this.#emit({ type: 'response.content_part.added', ...at, part: { type: 'reasoning_text', text: '' } });
    this.#text ??= new GrowingText();
    this.#text.add(delta);
    this.#emit({ type: 'response.reasoning_text.delta', ...at, delta });
  }

  /** Adds an entry of `reasoning_details`, or a piece of one. */
  addDetail({ type, text, summary, data, signature, format }: Fields): void {
    if (type === 'reasoning.text') this.addText(textOf(text));
    else if (type === 'reasoning.summary') this.#addSummary(textOf(summary));
    else if (type === 'reasoning.encrypted')
      this.#proof.encrypted_content = (this.#proof.encrypted_content ?? '') + textOf(data);
    if (textOf(signature) !== '') this.#proof.signature = (this.#proof.signature ?? '') + textOf(signature);
    if (textOf(format) !== '') this.#proof.format = textOf(format);
  }

  /** Ends the item and returns the complete item. */
  close(status: ItemStatus): Fields {
    const { item_id: id, output_index } = this.#place;
    const item: Fields = { id, type: 'reasoning', status, summary: [], ...this.#proof };
    if (this.#text !== undefined) item['content'] = [this.#endText(this.#text.toString())];
    if (this.#summary !== undefined) item['summary'] = [this.#endSummary(this.#summary.toString())];
    this.#emit({ type: 'response.output_item.done', output_index, item });
    return item;
  }

  #addSummary(delta: string): void {
    const at = { ...this.#place, summary_index: 0 };
    if (this.#summary === undefined) {
      const part = { type: 'summary_text', text: '' };
      this.#emit({ type: 'response.reasoning_summary_part.added', ...at, part });
    }
    this.#summary ??= new GrowingText();
    this.#summary.add(delta);
    this.#emit({ type: 'response.reasoning_summary_text.delta', ...at, delta });
  }

  #endText(text: string): Fields {
    const at = { ...this.#place, content_index: 0 };
    const part = { type: 'reasoning_text', text };
    this.#emit({ type: 'response.reasoning_text.done', ...at, text });
    this.#emit({ type: 'response.content_part.done', ...at, part });
    return part;
  }

  #endSummary(text: string): Fields {
    const at = { ...this.#place, summary_index: 0 };
    const part = { type: 'summary_text', text };
    this.#emit({ type: 'response.reasoning_summary_text.done', ...at, text });
    this.#emit({ type: 'response.reasoning_summary_part.done', ...at, part });
    return part;
  }
}
