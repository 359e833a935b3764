import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import type { ResponseEvent } from './response-events.ts';

type Json = Record<string, unknown>;

/** A vendor that speaks OpenAI's responses, and says what it is told to. */
export interface ResponsesUpstream {
  baseUrl: string;
  /** The bodies that came, in order. */
  asked: Json[];
  /** Of the last request, once its connection is gone before its end. */
  brokenOff(): boolean;
  /** How the next requests are answered, until something else is said. */
  answer(behave: Behave): void;
  close(): Promise<void>;
}

export type Behave = (response: ServerResponse, body: Json) => void;

export async function startResponsesUpstream(): Promise<ResponsesUpstream> {
  const asked: Json[] = [];
  let behave: Behave = answerAsUsual();
  let isBrokenOff = false;
  const server: LoopbackServer = await startLoopbackServer((request, response) => {
    void bodyOf(request).then((body) => {
      asked.push(body);
      isBrokenOff = false;
      response.on('close', () => (isBrokenOff = !response.writableFinished));
      behave(response, body);
    });
  });
  return {
    baseUrl: `${server.origin}/v1`,
    asked,
    brokenOff: () => isBrokenOff,
    answer: (next) => (behave = next),
    close: () => server.close(),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as Json;
}

export const NATIVE_OUTPUT = [
  {
    id: 'rs_upstream',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: 'sealed',
  },
  {
    id: 'msg_upstream',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
  },
];

export const NATIVE_USAGE = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 6,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 17,
};

/** As the vendor tells it: with fields that nobody here knows, and one that is nobody's business. */
export function nativeResponse(more: Json = {}): Json {
  return {
    id: 'resp_upstream',
    object: 'response',
    created_at: 1_767_225_600,
    completed_at: 1_767_225_601,
    status: 'completed',
    background: false,
    billing: { payer: 'developer' },
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: 'gpt-upstream-2026',
    output: NATIVE_OUTPUT,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    unknown_to_us: { deep: true },
    usage: NATIVE_USAGE,
    ...more,
  };
}

/** The events of that response, a tool of the vendor's own among them. */
export function nativeEvents(): ResponseEvent[] {
  const begun = nativeResponse({ status: 'in_progress', completed_at: null, output: [], usage: null });
  const [thought, message] = NATIVE_OUTPUT;
  const at = { item_id: 'msg_upstream', output_index: 1, content_index: 0 };
  const events: Json[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: { ...thought, summary: [] } },
    { type: 'response.unknown_to_us', item_id: 'rs_upstream', output_index: 0, deep: [1] },
    {
      type: 'response.reasoning_summary_text.delta',
      item_id: 'rs_upstream',
      output_index: 0,
      summary_index: 0,
      delta: 'Hm.',
    },
    { type: 'response.output_item.done', output_index: 0, item: thought },
    { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } },
    {
      type: 'response.content_part.added',
      ...at,
      part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
    },
    { type: 'response.output_text.delta', ...at, delta: 'Hel', logprobs: [], obfuscation: 'xy' },
    { type: 'response.output_text.delta', ...at, delta: 'lo', logprobs: [], obfuscation: 'x' },
    { type: 'response.output_text.done', ...at, text: 'Hello', logprobs: [] },
    { type: 'response.content_part.done', ...at, part: NATIVE_OUTPUT[1]!.content![0] },
    { type: 'response.output_item.done', output_index: 1, item: message },
    { type: 'response.completed', response: nativeResponse() },
  ];
  return events.map((event, number) => ({ ...event, sequence_number: number }) as ResponseEvent);
}

export function sendEvents(response: ServerResponse, events: readonly object[]): void {
  if (!response.headersSent) response.setHeader('content-type', 'text/event-stream');
  for (const event of events) {
    const { type } = event as { type?: string };
    response.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}

export function answerAsUsual(): Behave {
  return answerWith(nativeResponse(), nativeEvents());
}

/** The whole response, or these events where a stream is asked for. */
export function answerWith(whole: object, events: readonly object[]): Behave {
  return (response, { stream }) => {
    if (stream !== true) return void response.end(JSON.stringify(whole));
    sendEvents(response, events);
    response.end();
  };
}
