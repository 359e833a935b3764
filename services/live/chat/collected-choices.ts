/** Reassembles a streamed chat answer, so that it can be logged and sent to observability destinations. */
import type { Json } from '../../../domain/ledger/broadcast-facts.ts';
import type { LoggedBody } from '../../../domain/ledger/logged-body.ts';
import { normalFinishReason } from '../../../domain/live/finish-reason.ts';
import { GrowingText } from '../../../platform/growing-text.ts';

/** The fields of a message, or of a chunk's delta, that are kept. */
interface Message {
  content?: unknown;
  reasoning?: unknown;
  tool_calls?: unknown;
}

interface Call {
  id: string;
  name: string;
  arguments: GrowingText;
}

interface Choice {
  completion: GrowingText;
  reasoning: GrowingText;
  calls: Map<number, Call>;
  finishReason: string | null;
}

/** The number of characters that are kept of one generation, over all its choices. Longer texts are cut off. */
const MAX_CHARACTERS = 4 * 1024 ** 2;
/** The most choices of a generation, and the most tool calls of a choice, that are kept. */
const MAX_ENTRIES = 200;
/** The length above which the name of a called function does not grow. */
const MAX_NAME_LENGTH = 256;

/**
 * Collects the text of an answer that arrives as a whole or in chunks. `hold` is called with the length of each text
 * that is kept.
 */
export function collectChoices(hold: (length: number) => void) {
  // Use a map, because an upstream may send any number as an index.
  const choices = new Map<number, Choice>();
  let room = MAX_CHARACTERS;
  const cut = (text: string): string => {
    const fitting = text.slice(0, room);
    room -= fitting.length;
    hold(fitting.length);
    return fitting;
  };
  return {
    add(
      index: number,
      { content, reasoning, tool_calls: calls }: Message,
      finishReason?: string | null,
    ): void {
      let choice = choices.get(index);
      if (choice === undefined) {
        if (choices.size === MAX_ENTRIES) return;
        choices.set(index, (choice = newChoice()));
      }
      choice.completion.add(cut(textOf(content)));
      choice.reasoning.add(cut(textOf(reasoning)));
      if (Array.isArray(calls)) addCalls(choice.calls, calls, cut);
      if (typeof finishReason === 'string') choice.finishReason = finishReason;
    },
    output(): LoggedBody['output'] {
      const sorted = inOrder(choices);
      return {
        completion: join(
          sorted.map(({ completion, calls }) => join([completion.toString(), ...toLines(calls)], '\n')),
        ),
        reasoning: join(sorted.map(({ reasoning }) => reasoning.toString())),
      };
    },
    /** Returns one message for each choice with content. `ending` is the finish reason of choices that have none. */
    messages(ending: string | null): Json[] {
      return inOrder(choices).flatMap((choice) => toMessage(choice, ending) ?? []);
    },
    /** Returns the plain text of all choices; null when there is none. */
    text(): string | null {
      return join(inOrder(choices).map(({ completion }) => completion.toString()));
    },
  };
}

function inOrder(choices: ReadonlyMap<number, Choice>): Choice[] {
  return [...choices].toSorted(([a], [b]) => a - b).map(([, choice]) => choice);
}

/** Returns the choice in the form of a chat's answer. */
function toMessage({ calls, finishReason, ...texts }: Choice, ending: string | null): Json | null {
  const [completion, reasoning] = [texts.completion.toString(), texts.reasoning.toString()];
  const toolCalls = nonEmpty(calls).map(({ id, name, arguments: given }) => ({
    ...(id === '' ? {} : { id }),
    type: 'function',
    function: { name, arguments: given.toString() },
  }));
  if (completion === '' && reasoning === '' && toolCalls.length === 0) return null;
  const reason = normalFinishReason(finishReason ?? ending);
  return {
    role: 'assistant',
    content: completion,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(reason === null ? {} : { finish_reason: reason }),
  };
}

function newChoice(): Choice {
  return {
    completion: new GrowingText(),
    reasoning: new GrowingText(),
    calls: new Map(),
    finishReason: null,
  };
}

/** Returns a text, or the texts among content parts joined together. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as { text?: unknown }[])
    .map((part) => (typeof part?.text === 'string' ? part.text : ''))
    .join('');
}

/** Adds tool calls, or pieces of them. In a stream, `index` identifies the call of a piece. */
function addCalls(collected: Map<number, Call>, pieces: unknown[], cut: (text: string) => string): void {
  for (const [position, piece] of pieces.entries()) {
    // The adapter checked only that the calls are a list.
    const {
      index = position,
      id,
      function: called,
    } = (piece ?? {}) as {
      index?: number;
      id?: unknown;
      function?: { name?: unknown; arguments?: unknown };
    };
    let call = collected.get(index);
    if (call === undefined) {
      if (collected.size === MAX_ENTRIES) return;
      collected.set(index, (call = { id: '', name: '', arguments: new GrowingText() }));
    }
    if (typeof id === 'string') call.id = cut(id);
    if (typeof called?.name === 'string' && call.name.length < MAX_NAME_LENGTH) call.name += cut(called.name);
    if (typeof called?.arguments === 'string') call.arguments.add(cut(called.arguments));
  }
}

function toLines(calls: Map<number, Call>): string[] {
  return nonEmpty(calls).map(({ name, arguments: given }) =>
    JSON.stringify({ name, arguments: given.toString() }),
  );
}

function nonEmpty(calls: Map<number, Call>): Call[] {
  return [...calls.values()].filter((call) => call.name !== '' || call.arguments.toString() !== '');
}

/** Joins the texts that are not empty; null when there are none. */
function join(texts: (string | null)[], separator = '\n\n'): string | null {
  return texts.filter((text) => text !== null && text !== '').join(separator) || null;
}
