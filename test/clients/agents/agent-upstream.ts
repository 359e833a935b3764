import type { ServerResponse } from 'node:http';
import { sendJson, startVendorServer, type VendorServer } from '../../support/vendor-server.ts';

/** What the model does next: it calls a tool, or says a text and is done. */
export type Step = { tool: string; arguments: object } | string;

/** A request as an upstream of chat receives it. */
export interface AskedChat {
  messages: { role: string; content: unknown }[];
  tools?: { type: string; function: { name: string } }[];
  stream?: boolean;
}

export interface AgentUpstream extends Pick<VendorServer, 'baseUrl' | 'close'> {
  /** The requests of the task, in order; those without tools, such as for a title, are left out. */
  asked: AskedChat[];
}

/** The parts that all answers have. */
const COMMON = { id: 'chatcmpl-agent', created: 1_760_000_000, model: 'echo-1' };
const USAGE = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 };

/** Starts an upstream that speaks only chat, whose model takes one step after each result of a tool. */
export async function startAgentUpstream(steps: readonly Step[]): Promise<AgentUpstream> {
  const asked: AskedChat[] = [];
  const server = await startVendorServer(({ path, body }, response) => {
    if (path !== '/v1/chat/completions') return sendJson(response, 404, { error: { message: 'not here' } });
    const chat = JSON.parse(body) as AskedChat;
    if (chat.tools === undefined) return answer(response, chat, 'A title');
    asked.push(chat);
    const done = chat.messages.filter(({ role }) => role === 'tool').length;
    answer(response, chat, steps[done] ?? 'There is nothing left to do.', `call_${done}`);
  });
  return { baseUrl: server.baseUrl, close: server.close, asked };
}

/** Returns what the last tool said to the model. */
export function lastResult({ asked }: AgentUpstream): string {
  const last = asked.at(-1)?.messages.findLast(({ role }) => role === 'tool');
  return typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content);
}

function answer(response: ServerResponse, { stream }: AskedChat, step: Step, id = 'call_0'): void {
  const isText = typeof step === 'string';
  const message = isText ? { content: step } : { content: null, tool_calls: [callOf(step, id)] };
  const said = { index: 0, finish_reason: isText ? 'stop' : 'tool_calls' };
  if (stream !== true) {
    const choices = [{ ...said, message: { role: 'assistant', ...message } }];
    return sendJson(response, 200, { ...COMMON, object: 'chat.completion', choices, usage: USAGE });
  }
  const chunk = { ...COMMON, object: 'chat.completion.chunk' };
  const events = [
    { ...chunk, choices: [{ ...said, finish_reason: null, delta: { role: 'assistant', ...message } }] },
    { ...chunk, choices: [{ ...said, delta: {} }] },
    { ...chunk, choices: [], usage: USAGE },
  ].map((event) => JSON.stringify(event));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end([...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
}

function callOf({ tool, arguments: given }: Exclude<Step, string>, id: string) {
  return { index: 0, id, type: 'function', function: { name: tool, arguments: JSON.stringify(given) } };
}
