/** Lists an exchange with a vendor for each dialect of chat, with an answer that the vendor may give. */
import { allOf, SERVERS, type VendorExchange } from './vendor-exchange.ts';

const CHAT = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
const CHUNK = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', service_tier: 'default' };
const USAGE = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 0 },
};
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  error: null,
  model: 'm',
  service_tier: 'default',
  output: [
    {
      type: 'message',
      id: 'i_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
    },
  ],
  usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18, input_tokens_details: { cached_tokens: 3 } },
};

const GEMINI_USAGE = {
  promptTokenCount: 11,
  cachedContentTokenCount: 3,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
  totalTokenCount: 18,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 11 }],
};
/** A piece of an answer; none of its objects is another's. */
const geminiPiece = (text: string, facts: object = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...facts }],
  modelVersion: 'm',
  responseId: 'r1',
  usageMetadata: structuredClone(GEMINI_USAGE),
});

export const TEXT_EXCHANGES: VendorExchange[] = [
  {
    operation: 'chat',
    adapters: ['openai', 'azure', ...SERVERS],
    answer: {
      ...CHUNK,
      object: 'chat.completion',
      system_fingerprint: 'f',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null, annotations: [], audio: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: USAGE,
    },
    decides: [
      'choices',
      'choices.0',
      'choices.0.message',
      'choices.0.message.content',
      'choices.0.message.refusal',
    ],
    ask: ({ chat }, context) => chat!.complete(CHAT, context),
  },
  {
    operation: 'a stream of chat',
    adapters: ['openai', 'azure', ...SERVERS],
    answer: [
      { ...CHUNK, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, logprobs: null }] },
      { ...CHUNK, choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: null }] },
      { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...CHUNK, choices: [], usage: USAGE },
    ],
    isStream: true,
    decides: [
      '*',
      '*.choices',
      '*.choices.0',
      '*.choices.0.index',
      '*.choices.0.delta',
      '*.choices.0.delta.content',
    ],
    ask: ({ chat }, context) => allOf(chat!.stream(CHAT, context)),
  },
  {
    operation: 'chat',
    adapters: ['google', 'google-vertex'],
    answer: geminiPiece('Hello', { finishReason: 'STOP', safetyRatings: [] }),
    decides: [
      'candidates',
      'candidates.0',
      'candidates.0.content',
      'candidates.0.content.parts',
      'candidates.0.content.parts.0',
      'candidates.0.content.parts.0.text',
    ],
    ask: ({ chat }, context) => chat!.complete(CHAT, context),
  },
  {
    operation: 'a stream of chat',
    adapters: ['google', 'google-vertex'],
    answer: [geminiPiece('Hel'), geminiPiece('lo', { finishReason: 'STOP' })],
    isStream: true,
    decides: ['*', '*.candidates', '*.candidates.0', '*.candidates.0.finishReason'],
    ask: ({ chat }, context) => allOf(chat!.stream(CHAT, context)),
  },
  {
    operation: 'messages',
    adapters: ['anthropic'],
    answer: MESSAGE,
    decides: ['type', 'content', 'content.0', 'content.0.type', 'content.0.text'],
    ask: ({ messages }, context) => messages!.create(CHAT, context),
  },
  {
    operation: 'a stream of messages',
    adapters: ['anthropic'],
    answer: [
      { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 7 },
      },
      { type: 'message_stop' },
    ],
    isStream: true,
    decides: ['*', '*.type', '*.message', '*.content_block', '*.delta', '*.index', '*.*.type', '*.*.text'],
    ask: ({ messages }, context) => allOf(messages!.stream(CHAT, context)),
  },
  {
    operation: 'responses',
    adapters: ['openai'],
    answer: RESPONSE,
    decides: [
      'status',
      'error',
      'output',
      'output.0',
      'output.0.type',
      'output.0.content',
      'output.0.content.0',
      'output.0.content.0.text',
    ],
    ask: ({ responses }, context) => responses!.create({ model: 'm', input: 'Hi' }, context),
  },
  {
    operation: 'a stream of responses',
    adapters: ['openai'],
    answer: [
      { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
      {
        type: 'response.output_text.delta',
        item_id: 'i_1',
        output_index: 0,
        content_index: 0,
        delta: 'Hello',
      },
      { type: 'response.completed', response: RESPONSE },
    ],
    isStream: true,
    decides: [
      '*',
      '*.type',
      '*.delta',
      '*.response',
      '*.response.status',
      '*.response.error',
      '2.response.output',
      '2.response.output.0',
      '2.response.output.0.type',
      '2.response.output.0.content',
      '2.response.output.0.content.0',
      '2.response.output.0.content.0.text',
    ],
    ask: ({ responses }, context) => allOf(responses!.stream({ model: 'm', input: 'Hi' }, context)),
  },
];
