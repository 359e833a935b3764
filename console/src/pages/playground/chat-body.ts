/** Builds the request of a chat from the settings of the playground and what was said before. */
import type { Question, Turn } from './conversation.ts';
import type { ChatBody } from './stream-chat.ts';

export interface Settings {
  system: string;
  /** Texts of number fields; empty: the model's default. */
  temperature: string;
  topP: string;
  maxTokens: string;
  /** JSON of tools; empty: none. */
  tools: string;
}

export const DEFAULT_SETTINGS: Settings = { system: '', temperature: '', topP: '', maxTokens: '', tools: '' };

/** Returns what is wrong with the tools; undefined if nothing is. */
export function problemOfTools(tools: string): string | undefined {
  if (tools.trim() === '') return undefined;
  try {
    return Array.isArray(JSON.parse(tools)) ? undefined : 'Tools are a list: [ { "type": "function", … } ].';
  } catch {
    return 'This is not JSON.';
  }
}

export function chatBodyOf(
  model: string,
  settings: Settings,
  turns: readonly Turn[],
  question: Question,
): ChatBody {
  const number = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));
  return {
    model,
    messages: [
      ...(settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }]),
      ...turns.flatMap((turn, index) => [...asked(turn.question, turns[index - 1]), ...answered(turn)]),
      ...asked(question, turns.at(-1)),
    ],
    // JSON leaves out what is undefined.
    temperature: number(settings.temperature),
    top_p: number(settings.topP),
    max_tokens: number(settings.maxTokens),
    tools: settings.tools.trim() === '' ? undefined : (JSON.parse(settings.tools) as unknown),
  };
}

/** Returns what the person said. After calls of tools, it is the result of each. */
function asked(question: Question, before: Turn | undefined) {
  const calls = callsOf(before);
  if (calls.length === 0) return [userMessage(question)];
  return calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: question.text }));
}

/** The calls of a turn. One that was stopped or failed may have half of one. */
const callsOf = (turn: Turn | undefined) => (turn?.state === 'done' ? turn.toolCalls : []);

function answered(turn: Turn) {
  const [answer, toolCalls] = [turn.answer, callsOf(turn)];
  if (toolCalls.length > 0) return [{ role: 'assistant', content: answer, tool_calls: toolCalls }];
  return answer === '' ? [] : [{ role: 'assistant', content: answer }];
}

function userMessage({ text, images }: Question) {
  if (images.length === 0) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [{ type: 'text', text }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))],
  };
}
