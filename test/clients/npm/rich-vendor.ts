import type { ServerResponse } from 'node:http';
import { addChatModel } from '../../support/catalog.ts';
import type { Gateway } from '../../support/gateway.ts';
import {
  sendJson,
  startVendorServer,
  type VendorCall,
  type VendorServer,
} from '../../support/vendor-server.ts';
import { PNG } from './picture.ts';

/** The model that `addRichModel` adds. */
export const RICH_MODEL = 'test/rich';
/** Settings of a gateway that may have the model. */
export const RICH_ENV = { PROVIDER_VENDOR_API_KEY: 'vendor-key' };

const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 16 },
  completion_tokens_details: { reasoning_tokens: 4 },
};
const CITATION = {
  type: 'url_citation',
  url_citation: { url: 'https://example.com/rain', title: 'Rain', start_index: 0, end_index: 4 },
};
const PICTURE = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` },
};
const ANSWER = {
  reasoning: 'It is Bergen.',
  content: 'Rain.',
  annotations: [CITATION],
  images: [PICTURE],
};
const WHOLE_CALLS = ['Bergen', 'Oslo'].map((city) => ({
  id: `call_${city}`,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
}));
const piecesOf = (text: string) => text.match(/.{1,3}/g) ?? [];

/**
 * Adds a chat model whose vendor answers with all that OpenAI's wire can hold: thoughts, a citation, a picture and
 * details of usage. Where it is offered tools, it first calls `weather` twice at once. Its streams come in small
 * pieces.
 */
export async function addRichModel(gateway: Gateway): Promise<VendorServer> {
  const vendor = await startVendorServer(answerRichly);
  await addChatModel(gateway, RICH_MODEL, [
    { provider: 'vendor', adapter: 'openai-compatible', baseUrl: vendor.baseUrl },
  ]);
  return vendor;
}

function answerRichly({ body }: VendorCall, response: ServerResponse): void {
  const { stream, tools, messages } = JSON.parse(body) as {
    stream?: boolean;
    tools?: unknown[];
    messages: { role: string }[];
  };
  const calls = (tools ?? []).length > 0 && messages.at(-1)?.role !== 'tool';
  const common = { id: 'chatcmpl-rich', created: 1_760_000_000, model: 'rich-1' };
  if (stream === true) return sendStream(response, common, calls);
  const message = calls ? { content: null, reasoning: ANSWER.reasoning, tool_calls: WHOLE_CALLS } : ANSWER;
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: reasonOf(calls) };
  sendJson(response, 200, { ...common, object: 'chat.completion', choices: [choice], usage: USAGE });
}

const reasonOf = (calls: boolean) => (calls ? 'tool_calls' : 'stop');

function sendStream(response: ServerResponse, common: object, calls: boolean): void {
  const thoughts = piecesOf(ANSWER.reasoning).map((reasoning) => ({ reasoning }));
  const pieces = calls
    ? WHOLE_CALLS.flatMap(({ function: { name, arguments: whole }, ...call }, index) => [
        { tool_calls: [{ index, ...call, function: { name, arguments: '' } }] },
        ...piecesOf(whole).map((piece) => ({
          tool_calls: [{ index, function: { arguments: piece } }],
        })),
      ])
    : [
        ...piecesOf(ANSWER.content).map((content) => ({ content })),
        { annotations: [CITATION] },
        { images: [PICTURE] },
      ];
  const deltas = [{ role: 'assistant', content: null }, ...thoughts, ...pieces, {}];
  const chunks = deltas.map((delta, position) => ({
    ...common,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: position === deltas.length - 1 ? reasonOf(calls) : null }],
  }));
  const last = { ...common, object: 'chat.completion.chunk', choices: [], usage: USAGE };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = [...chunks, last].map((chunk) => JSON.stringify(chunk));
  response.end([...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
}
