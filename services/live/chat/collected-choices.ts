/** Reassembles a streamed chat answer, so that it can be logged and sent to observability destinations. */
import type { Json } from '../../../domain/ledger/broadcast-facts.ts';
import type { LoggedBody } from '../../../domain/ledger/logged-body.ts';
import { normalFinishReason } from '../finish-reason.ts';

/** The fields of a message, or of a chunk's delta, that are kept. */
interface Message {
  content?: unknown;
  reasoning?: unknown;
  tool_calls?: unknown;
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

interface Choice {
  completion: string;
  reasoning: string;
  calls: Map<number, Call>;
  finishReason: string | null;
}

/** The number of characters that are kept of one generation, over all its choices. Longer texts are cut off. */
const MAX_CHARACTERS = 4 * 1024 ** 2;

/** Collects the text of an answer that arrives as a whole or in chunks. */
export function collectChoices() {
  // Use a map, because an upstream may send any number as an index.
  const choices = new Map<number, Choice>();
  let room = MAX_CHARACTERS;
  const cut = (text: string): string => {
    const fitting = text.slice(0, room);
    room -= fitting.length;
    return fitting;
  };
  return {
    add(
      index: number,
      { content, reasoning, tool_calls: calls }: Message,
      finishReason?: string | null,
    ): void {
      let choice = choices.get(index);
      if (choice === undefined) choices.set(index, (choice = newChoice()));
      choice.completion += cut(textOf(content));
      choice.reasoning += cut(textOf(reasoning));
      if (Array.isArray(calls)) addCalls(choice.calls, calls, cut);
      if (typeof finishReason === 'string') choice.finishReason = finishReason;
    },
    output(): LoggedBody['output'] {
      const sorted = inOrder(choices);
      return {
        completion: join(sorted.map(({ completion, calls }) => join([completion, ...toLines(calls)], '\n'))),
        reasoning: join(sorted.map(({ reasoning }) => reasoning)),
      };
    },
    /** Returns one message for each choice with content. `ending` is the finish reason of choices that have none. */
    messages(ending: string | null): Json[] {
      return inOrder(choices).flatMap((choice) => toMessage(choice, ending) ?? []);
    },
    /** Returns the plain text of all choices; null when there is none. */
    text(): string | null {
      return join(inOrder(choices).map(({ completion }) => completion));
    },
  };
}

function inOrder(choices: ReadonlyMap<number, Choice>): Choice[] {
  return [...choices].toSorted(([a], [b]) => a - b).map(([, choice]) => choice);
}

/** Returns the choice in the form of a chat's answer. */
function toMessage(
  { completion, reasoning, calls, finishReason }: Choice,
  ending: string | null,
): Json | null {
  const toolCalls = nonEmpty(calls).map(({ id, ...called }) => ({
    ...(id === '' ? {} : { id }),
    type: 'function',
    function: called,
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
  return { completion: '', reasoning: '', calls: new Map(), finishReason: null };
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
    if (call === undefined) collected.set(index, (call = { id: '', name: '', arguments: '' }));
    if (typeof id === 'string') call.id = id;
    if (typeof called?.name === 'string') call.name += cut(called.name);
    if (typeof called?.arguments === 'string') call.arguments += cut(called.arguments);
  }
}

function toLines(calls: Map<number, Call>): string[] {
  return nonEmpty(calls).map(({ name, arguments: given }) => JSON.stringify({ name, arguments: given }));
}

function nonEmpty(calls: Map<number, Call>): Call[] {
  return [...calls.values()].filter((call) => call.name !== '' || call.arguments !== '');
}

/** Joins the texts that are not empty; null when there are none. */
function join(texts: (string | null)[], separator = '\n\n'): string | null {
  return texts.filter((text) => text !== null && text !== '').join(separator) || null;
}
