/** Lists the requests by whose answers two checkouts are compared. */
import { type MeasuredGateway, rawRequest } from '../gateway-process.ts';
import { rawGet } from '../reads/single-read.ts';

export interface Case {
  name: string;
  /** Returns the request as bytes. Uses the gateway's API alone, because tables differ between checkouts. */
  requestFor(gateway: MeasuredGateway): Buffer | Promise<Buffer>;
}

const WORDS = 'Say what you always say.';
const CHAT = { model: 'local/chat-canned', messages: [{ role: 'user', content: WORDS }] };
const RERANK = {
  model: 'cohere/rerank-4-fast',
  query: 'Which of these is about boats?',
  documents: Array.from({ length: 10 }, (_, n) =>
    `Document ${n} is about boats, rivers and the sea. `.repeat(4),
  ),
};
const SPEECH = { model: 'local/speech-canned', input: WORDS, response_format: 'mp3', voice: 'alto' };

export const CASES: Case[] = [
  { name: 'chat', requestFor: post('/chat/completions', CHAT) },
  { name: 'chat streamed', requestFor: post('/chat/completions', { ...CHAT, stream: true }) },
  { name: 'messages', requestFor: post('/messages', { ...CHAT, max_tokens: 100 }) },
  { name: 'image', requestFor: post('/images', { model: 'local/image-canned', prompt: 'A paper boat' }) },
  { name: 'speech', requestFor: post('/audio/speech', SPEECH) },
  { name: 'rerank', requestFor: post('/rerank', RERANK) },
  {
    name: 'GET /generation',
    requestFor: async (gateway) =>
      rawGet(`/api/v1/generation?id=${await recordChat(gateway)}`, gateway.apiKey),
  },
  { name: 'GET /models', requestFor: ({ apiKey }) => rawGet('/api/v1/models', apiKey) },
];

function post(target: string, body: object): Case['requestFor'] {
  return ({ apiKey }) => rawRequest(`/api/v1${target}`, apiKey, body);
}

/** Sends a chat, whose row is in the ledger when the answer comes. Returns its id. */
async function recordChat({ origin, apiKey }: MeasuredGateway): Promise<string> {
  const response = await fetch(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(CHAT),
  });
  const { id } = (await response.json()) as { id: string };
  return id;
}
