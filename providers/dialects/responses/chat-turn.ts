/** Turns the items of one model turn in a responses request into an assistant message for a chat. */
import type { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, textOf, withoutUndefined } from '../../../domain/fields.ts';
import type { FunctionNames } from './function-names.ts';

/** Collects consecutive items of the model into one message of a chat. */
export class ChatTurn {
  #text: string | undefined;
  #refusal: string | undefined;
  #reasoning = '';
  #thoughts = 0;
  readonly #details: Fields[] = [];
  /** True when the details contain more than the plain text. */
  #needsDetails = false;
  readonly #calls: Fields[] = [];
  readonly #images: Fields[] = [];
  readonly #names: FunctionNames;

  constructor(names: FunctionNames) {
    this.#names = names;
  }

  /**
   * Returns whether the item belongs to this turn. A second message or thought starts a new turn, unless the turn has
   * calls, which must stay next to their results.
   */
  takes(type: unknown): boolean {
    if (type === 'function_call' || type === 'image_generation_call' || this.#calls.length > 0) return true;
    return this.#text === undefined && this.#refusal === undefined;
  }

  /** Adds a text, or the parts of an answer. Drops annotations and probabilities, which were only for the reader. */
  addMessage(content: unknown, path: string, unsupported: UnsupportedFields): void {
    if (typeof content === 'string') this.#addText(content);
    for (const [index, { type, text, refusal }] of fieldsIn(content).entries()) {
      if (type === 'output_text' || type === 'input_text') this.#addText(textOf(text));
      else if (type === 'refusal') this.#refusal = (this.#refusal ?? '') + textOf(refusal);
      else
        unsupported.add(`${path}.${index}.type`, `${textOf(type)} is not allowed in a message of the model`);
    }
  }

  addCall({ call_id: id, name: ownName, namespace, arguments: given }: Fields): void {
    const name = this.#names.inChat(textOf(ownName), namespace);
    this.#calls.push({ id, type: 'function', function: { name, arguments: given } });
  }

  /** Adds the model's thoughts, with the signature or the encrypted form that the vendor verifies. */
  addReasoning({ id, content, summary, encrypted_content, signature, format }: Fields): void {
    const texts = fieldsIn(content).map(({ text }) => textOf(text));
    const summaries = fieldsIn(summary).map(({ text }) => textOf(text));
    const marks = { format: format ?? formatOf(encrypted_content), index: this.#thoughts };
    this.#thoughts += 1;
    const add = (detail: Fields): void => {
      this.#details.push(withoutUndefined({ ...detail, ...marks }));
    };
    const isSigned = textOf(signature) !== '';
    const isEncrypted = typeof encrypted_content === 'string';
    if (texts.length > 0 || isSigned) {
      const proof = isSigned ? { signature } : {};
      add({ type: 'reasoning.text', text: texts.join(''), ...proof });
    }
    for (const text of summaries) add({ type: 'reasoning.summary', summary: text });
    if (isEncrypted) add({ type: 'reasoning.encrypted', data: encrypted_content, id });
    this.#reasoning += (texts.length > 0 ? texts : summaries).join('');
    this.#needsDetails ||= isSigned || isEncrypted || summaries.length > 0;
  }

  /** Adds a picture that the model made, given as base64 or as a URL. */
  addImage({ result, output_format: format }: Fields): void {
    if (typeof result !== 'string') return;
    const isAddress = /^(https?|data):/.test(result);
    const url = isAddress ? result : `data:image/${textOf(format) || 'png'};base64,${result}`;
    this.#images.push({ type: 'image_url', image_url: { url } });
  }

  toMessage(): Fields {
    return withoutUndefined({
      role: 'assistant',
      content: this.#text ?? null,
      refusal: this.#refusal,
      reasoning: this.#reasoning || undefined,
      reasoning_details: this.#needsDetails ? this.#details : undefined,
      tool_calls: this.#calls.length === 0 ? undefined : this.#calls,
      images: this.#images.length === 0 ? undefined : this.#images,
    });
  }

  #addText(text: string): void {
    this.#text = (this.#text ?? '') + text;
  }
}

/** Returns the format of encrypted thoughts. Assumes OpenAI's format, because no vendor is named. */
function formatOf(encrypted: unknown): string | undefined {
  return typeof encrypted === 'string' ? 'openai-responses-v1' : undefined;
}
