/** Asks for an answer in each dialect of chat, whole or streamed, and reads what a client would see. */
import type { Gateway } from './gateway.ts';

/** A tool call as a client sees it. */
export interface SeenCall {
  id: string;
  name: string;
  arguments: string;
}

export interface SeenAnswer {
  status: number;
  text: string;
  thoughts: string;
  calls: SeenCall[];
  /** The reason of the dialect for the end of the answer; undefined when there is none. */
  finish: string | undefined;
  error: boolean;
}

/** Any JSON, of which a test reads what it needs. */
type Json = ReturnType<typeof JSON.parse>;

const FUNCTION = { name: 'look', parameters: { type: 'object', properties: {} } };

/** The dialects, with the request and the reader of each. */
export const DIALECTS = {
  chat: {
    path: '/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'function', function: FUNCTION }] },
    whole: readChat,
    streamed: readChatStream,
  },
  messages: {
    path: '/messages',
    body: {
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    },
    whole: readMessage,
    streamed: readMessageStream,
  },
  responses: {
    path: '/responses',
    body: { input: 'Hi', tools: [{ type: 'function', ...FUNCTION }] },
    whole: readResponse,
    streamed: (events: Json[]) => readResponse(events.at(-1)?.['response'] ?? {}),
  },
};

export type DialectName = keyof typeof DIALECTS;

/** Asks a model in a dialect. */
export async function askIn(
  gateway: Gateway,
  dialect: DialectName,
  model: string,
  { stream = false, more = {} }: { stream?: boolean; more?: object } = {},
): Promise<SeenAnswer> {
  const { path, body, whole, streamed } = DIALECTS[dialect];
  const answer = await gateway.call('POST', path, { body: { ...body, ...more, model, stream } });
  const text = await answer.text();
  const empty = { text: '', thoughts: '', calls: [], finish: undefined };
  if (answer.status !== 200) return { ...empty, status: answer.status, error: true };
  if (!stream) return { ...whole(JSON.parse(text) as Json), status: 200, error: false };
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!) as Json);
  const error = events.some((event) => event['error'] || event['type'] === 'response.failed');
  return { ...streamed(events), status: 200, error };
}

type Read = Omit<SeenAnswer, 'status' | 'error'>;

function readChat({ choices: [{ message, finish_reason: finish }] }: Json): Read {
  const calls = (message.tool_calls ?? []) as Json[];
  return {
    text: message.content ?? '',
    thoughts: message.reasoning ?? '',
    calls: calls.map(({ id, function: { name, arguments: given } }) => ({ id, name, arguments: given })),
    finish,
  };
}

/** Adds up the pieces as OpenAI's clients do. */
function readChatStream(events: Json[]): Read {
  const message: Json = { content: '', reasoning: '', tool_calls: [] };
  let finish: string | undefined;
  for (const { choices } of events) {
    for (const { delta, finish_reason: reason } of choices as Json[]) {
      message['content'] += delta.content ?? '';
      message['reasoning'] += delta.reasoning ?? '';
      for (const part of (delta.tool_calls ?? []) as Json[]) addPiece(message['tool_calls'], part);
      finish = reason ?? finish;
    }
  }
  return readChat({ choices: [{ message, finish_reason: finish }] });
}

function addPiece(calls: Json[], { index, id = '', function: called = {} }: Json): void {
  const call = (calls[index as number] ??= { id: '', function: { name: '', arguments: '' } });
  call['id'] += id;
  call['function'].name += called.name ?? '';
  call['function'].arguments += called.arguments ?? '';
}

function readMessage({ content, stop_reason: finish }: Json): Read {
  const blocks = content as Json[];
  const of = (type: string) => blocks.filter((block) => block['type'] === type);
  return {
    text: of('text')
      .map(({ text }) => text)
      .join(''),
    thoughts: of('thinking')
      .map(({ thinking }) => thinking)
      .join(''),
    calls: of('tool_use').map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
    finish,
  };
}

function readMessageStream(events: Json[]): Read {
  const blocks: Json[] = [];
  let finish: string | undefined;
  for (const event of events) {
    if (event['type'] === 'content_block_start')
      blocks[event['index']] = { ...event['content_block'], json: '' };
    const block = blocks[event['index']];
    const { text = '', thinking = '', partial_json: json = '' } = event['delta'] ?? {};
    if (event['type'] === 'content_block_delta' && block !== undefined) {
      if ('text' in block) block['text'] += text;
      if ('thinking' in block) block['thinking'] += thinking;
      block['json'] += json;
    }
    if (event['type'] === 'message_delta') finish = event['delta'].stop_reason;
  }
  const whole = blocks.map(({ json, ...block }) =>
    json === '' ? block : { ...block, input: JSON.parse(json) },
  );
  return readMessage({ content: whole, stop_reason: finish });
}

function readResponse({ output = [], status }: Json): Read {
  const items = output as Json[];
  const of = (type: string) => items.filter((item) => item['type'] === type);
  return {
    text: of('message')
      .flatMap(({ content }) => (content as Json[]).map(({ text }) => text ?? ''))
      .join(''),
    thoughts: of('reasoning')
      .flatMap(({ content }) => ((content ?? []) as Json[]).map(({ text }) => text))
      .join(''),
    calls: of('function_call').map(({ call_id: id, name, arguments: given }) => ({
      id,
      name,
      arguments: given,
    })),
    finish: status,
  };
}
