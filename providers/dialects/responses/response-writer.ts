/** Translates a chat's answer to a response, chunk by chunk. */
import { randomUUID } from 'node:crypto';
import type { ChatChunk, OpenAiUsage, TextRequest } from '../../chat-adapter.ts';
import type { DialectEvent, DialectObject } from '../../dialect-adapter.ts';
import { normalFinishReason } from '../../../domain/live/finish-reason.ts';
import { answerFailed } from '../answer-failed.ts';
import { type Fields, fieldsIn, textOf } from '../../../domain/fields.ts';
import type { StreamTranslator } from '../translated-stream.ts';
import { contentText, logprobsOf, toAnnotation } from './answer-parts.ts';
import type { FunctionNames } from './function-names.ts';
import type { Emit } from './message-item.ts';
import { OutputItems } from './output-items.ts';
import { newResponse, nowSeconds } from './response-object.ts';
import { toResponsesUsage } from './usage.ts';

type Delta = ChatChunk['choices'][number]['delta'];

/**
 * The finish reasons of an incomplete answer, with the reason that a response gives. Every other answer is complete.
 */
const INCOMPLETE = new Map<string | null, string>([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

/** The memory that a part takes beside its text, unless it is plain text. */
const PART_BYTES = 64;

/** Returns about the memory that a part of an answer takes. */
function sizeOf({ content, reasoning, ...rest }: Delta, logprobs: unknown): number {
  const text = textOf(content).length + textOf(reasoning).length;
  const parts = typeof content === 'string' ? rest : { ...rest, content };
  const isEmpty = ([name, value]: [string, unknown]): boolean =>
    name === 'role' || value == null || value === '';
  const isText = logprobs == null && Object.entries(parts).every(isEmpty);
  return isText ? text : text + PART_BYTES + JSON.stringify({ ...parts, logprobs }).length;
}

/**
 * Writes a chat's answer as the events of a response: each item is added, written in pieces and then done. Events have
 * ascending numbers.
 */
export class ResponseWriter implements StreamTranslator<ChatChunk, DialectEvent> {
  readonly #request: TextRequest;
  readonly #idBase = randomUUID().replaceAll('-', '');
  #response: DialectObject | undefined;
  #events: DialectEvent[] = [];
  #numbered = 0;
  readonly #items: OutputItems;
  #finishReason: string | null = null;
  #usage: OpenAiUsage | undefined;

  readonly #keep: (bytes: number) => void;

  /**
   * Creates a writer. `request` is the responses request, parts of which the answer repeats. `names` has the names that
   * the upstream received for the functions. `keep` is called with the size of each part of the answer, which stays in
   * memory until the last event.
   */
  constructor(request: TextRequest, names: FunctionNames, keep: (bytes: number) => void = () => {}) {
    this.#request = request;
    this.#keep = keep;
    this.#items = new OutputItems(this.#idBase, names, this.#emit);
  }

  translate(chunk: ChatChunk): DialectEvent[] {
    const response = (this.#response ??= this.#begin(chunk));
    if (typeof chunk['service_tier'] === 'string') response['service_tier'] = chunk['service_tier'];
    if (chunk.usage) this.#usage = chunk.usage;
    for (const { index, delta, finish_reason: reason, logprobs } of chunk.choices) {
      if (index !== 0) continue;
      this.#addDelta(delta, logprobs);
      this.#finishReason = reason ?? this.#finishReason;
    }
    return this.#take();
  }

  /**
   * Returns the last events; the final one has the whole response. Throws ProviderError for an answer with finish
   * reason `error`.
   */
  end(): DialectEvent[] {
    const response = (this.#response ??= this.#begin({ choices: [] }));
    const finish = normalFinishReason(this.#finishReason);
    if (finish === 'error') throw answerFailed();
    if (this.#items.isEmpty) this.#items.message().addText('', []);
    const reason = INCOMPLETE.get(finish);
    const status = reason === undefined ? 'completed' : 'incomplete';
    const output = this.#items.close(status);
    this.#emit({
      type: `response.${status}`,
      response: {
        ...response,
        status,
        completed_at: reason === undefined ? nowSeconds() : null,
        incomplete_details: reason === undefined ? null : { reason },
        output,
        usage: this.#usage === undefined ? null : toResponsesUsage(this.#usage),
      },
    });
    return this.#take();
  }

  /**
   * Starts the response. Writes a count from the first chunk at once, because some vendors count the prompt there, and
   * a stream that breaks off has no other count.
   */
  #begin({ id, model, usage }: ChatChunk): DialectObject {
    const response = newResponse(this.#request, id ?? `resp_${this.#idBase}`);
    if (typeof model === 'string') response['model'] = model;
    this.#emit({ type: 'response.created', response: { ...response } });
    const counted = usage ? toResponsesUsage(usage) : null;
    this.#emit({ type: 'response.in_progress', response: { ...response, usage: counted } });
    return response;
  }

  #addDelta(delta: Delta, logprobs: unknown): void {
    const items = this.#items;
    const { reasoning, reasoning_details: details, content, tool_calls: calls } = delta;
    this.#keep(sizeOf(delta, logprobs));
    this.#addThought(textOf(reasoning), fieldsIn(details));
    const text = contentText(content);
    if (text !== '') items.message().addText(text, logprobsOf(logprobs));
    for (const annotation of fieldsIn(delta['annotations']))
      items.message().addAnnotation(toAnnotation(annotation));
    if (textOf(delta['refusal']) !== '') items.message().addRefusal(textOf(delta['refusal']));
    for (const image of fieldsIn(delta['images'])) items.addImage(image);
    if (calls !== undefined && calls.length > 0) items.addCalls(calls);
  }

  /** Adds a thought. Its plain text repeats its details, unless these only hold a signature or an encrypted form. */
  #addThought(text: string, details: readonly Fields[]): void {
    const isRepeated = details.some(
      (detail) => textOf(detail['text']) !== '' || textOf(detail['summary']) !== '',
    );
    if (text !== '' && !isRepeated) this.#items.thought(details[0]?.['index']).addText(text);
    for (const detail of details) this.#items.thought(detail['index'], detail['id']).addDetail(detail);
  }

  readonly #emit: Emit = (event) => {
    event['sequence_number'] = this.#numbered;
    this.#numbered += 1;
    this.#events.push(event);
  };

  #take(): DialectEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
