/** Repairs the stream of a chat: the tool calls of each choice, and its finish reason. */
import { isFields } from '../../../domain/fields.ts';
import { malformedAnswer } from '../../answer-checks.ts';
import type { ChatChunk } from '../../chat-adapter.ts';
import type { NoteRepair } from '../../repairs.ts';
import { endsWithCalls, mayBeEmpty, nameCalls } from './finish-reason.ts';
import { hasContent } from './message.ts';
import { ToolCallParts } from './tool-calls.ts';

/** The memory that is kept of one stream. Its choices and calls take far less; an upstream could send any number. */
const MAX_KEPT_BYTES = 512 * 1024;
const CHOICE_BYTES = 500;

interface Choice {
  /** Undefined until the first call arrives. */
  calls: ToolCallParts | undefined;
  isFinished: boolean;
}

/** Repairs the chunks of one stream, and knows which of its choices have finished. */
export class ChatStreamRepair {
  readonly #note: NoteRepair;
  readonly #choices = new Map<number, Choice>();
  #finished = 0;
  #hasContent = false;
  /** True: a text arrived, although it may be empty. */
  #hasText = false;
  /** True: a choice finished for a reason for which the answer may be empty. */
  #mayBeEmpty = false;
  #keptBytes = 0;

  constructor(note: NoteRepair) {
    this.#note = note;
  }

  /** Repairs a chunk in place. */
  repair({ choices }: ChatChunk): void {
    for (const choice of choices) {
      const seen = this.#choiceAt(choice.index);
      const { tool_calls: calls } = choice.delta;
      this.#hasContent ||= hasContent(choice.delta);
      this.#hasText ||= typeof choice.delta.content === 'string';
      if (calls !== undefined) this.#callsOf(seen).repair(calls.filter(isFields));
      if (choice.finish_reason === undefined || choice.finish_reason === null || seen.isFinished) continue;
      seen.isFinished = true;
      this.#finished += 1;
      this.#mayBeEmpty ||= mayBeEmpty(choice.finish_reason, this.#hasText);
      this.#complete(choice, seen);
    }
  }

  /**
   * Returns a chunk that finishes the choices without a finish reason of the vendor; undefined if there are none.
   * Throws ProviderError if the answer has no content and no reason for that.
   */
  rest(): ChatChunk | undefined {
    const open = [...this.#choices].filter(([, { isFinished }]) => !isFinished);
    const hasFinished = open.length === 0 && this.#finished > 0;
    if (!this.#hasContent && !(hasFinished && this.#mayBeEmpty)) throw malformedAnswer('no content');
    if (hasFinished) return undefined;
    this.#note('finish_reason');
    const choices = open.map(([index, seen]) => {
      const choice: ChatChunk['choices'][number] = { index, delta: {}, finish_reason: 'stop' };
      this.#complete(choice, seen);
      return choice;
    });
    return { choices };
  }

  /** Records that text arrived, which needs no repair. */
  sawText(): void {
    this.#hasContent = true;
  }

  /** True: every choice so far has finished. */
  get isWhole(): boolean {
    return this.#finished > 0 && this.#finished === this.#choices.size;
  }

  #choiceAt(index: number): Choice {
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      this.#keep(CHOICE_BYTES);
      choice = { calls: undefined, isFinished: false };
      this.#choices.set(index, choice);
    }
    return choice;
  }

  #callsOf(choice: Choice): ToolCallParts {
    return (choice.calls ??= new ToolCallParts(this.#note, (bytes) => this.#keep(bytes)));
  }

  #keep(bytes: number): void {
    this.#keptBytes += bytes;
    if (this.#keptBytes > MAX_KEPT_BYTES) throw malformedAnswer('too many choices or tool calls');
  }

  /** Completes the calls of a choice with its finish reason. */
  #complete(choice: ChatChunk['choices'][number], { calls }: Choice): void {
    if (calls === undefined || calls.isEmpty) return;
    const missing = calls.missingArguments();
    if (missing.length > 0) choice.delta.tool_calls = [...(choice.delta.tool_calls ?? []), ...missing];
    if (endsWithCalls(choice.finish_reason)) return;
    nameCalls(choice);
    this.#note('finish_reason');
  }
}
