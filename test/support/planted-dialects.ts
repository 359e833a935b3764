/** Lists requests of every dialect, into whose fields a long text is put. */
import type { z } from 'zod';
import { chatRequest } from '../../contract/live/chat-request.ts';
import { completionsRequest } from '../../contract/live/completions-request.ts';
import { messagesRequest } from '../../contract/live/messages-request.ts';
import { responsesRequest } from '../../contract/live/responses-request.ts';
import { operations } from '../../contract/operations.ts';
import { SMALL } from './images.ts';
import { type PlantedBody, plantBySchema, plantInSample } from './planted-texts.ts';

/** Eight thousand tokens, which cost several times the limit. */
const TEXT = 'word and '.repeat(3_600);
const MODEL = { model: 'local/echo-1' };

const CHAT = {
  ...MODEL,
  max_tokens: 1,
  messages: [
    { role: 'user', content: 'Hi', name: 'ann' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'user', content: [{ type: 'new', text: 'Hi', more: { deep: 'Hi' } }] },
    {
      role: 'assistant',
      content: 'Hi',
      refusal: 'no',
      reasoning: 'so',
      reasoning_content: 'so',
      reasoning_details: [{ type: 'reasoning.text', text: 'so' }],
      function_call: { name: 'f', arguments: '{}' },
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'Hi' },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: 'g', parameters: { type: 'object' } } }],
};

const MESSAGES = {
  model: 'anthropic/claude-haiku-4.5',
  max_tokens: 1,
  system: [{ type: 'text', text: 'Hi' }],
  messages: [
    { role: 'user', content: 'Hi' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        {
          type: 'document',
          title: 'A',
          context: 'B',
          source: { type: 'text', media_type: 'text/plain', data: 'C' },
        },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'D' }] } },
        {
          type: 'search_result',
          source: 'https://a.example',
          title: 'A',
          content: [{ type: 'text', text: 'B' }],
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'so', signature: 'sig' },
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'f',
          input: { a: 'b', image_url: 'c', source: { type: 'url', url: 'd' } },
        },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Hi' }] }],
    },
  ],
  tools: [{ name: 'f', description: 'g', input_schema: { type: 'object' } }],
};

const RESPONSES = {
  model: 'openai/gpt-5.1',
  max_output_tokens: 1,
  instructions: 'Be short',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'so' }],
      encrypted_content: 'abc',
    },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'Hi' },
    { type: 'custom_tool_call', call_id: 'd', name: 'f', input: 'Hi' },
    { type: 'custom_tool_call_output', call_id: 'd', output: 'Hi' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
  ],
  tools: [{ type: 'function', name: 'f', description: 'g', parameters: { type: 'object' } }],
  text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
};

const MEDIA_CHAT = {
  ...MODEL,
  max_tokens: 1,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      ],
    },
  ],
};

/** Models whose prices are those of tokens. */
export const RANK = 'test/rank';
export const SPEAK = 'test/speak';
export const BY_TOKEN = { provider: 'local', pricing: { prompt: '0.000001', completion: '0' } };

const SIMPLE_CHAT = { ...MODEL, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
const OPTIONS = { a: 'b', tools: [{ x: 'y' }], messages: [{ role: 'user', content: 'Hi', name: 'ann' }] };

export interface Dialect {
  path: string;
  provider: string;
  schema: z.ZodType;
  samples: Record<string, unknown>[];
  limitUsd: string;
  /** Places in which the contract drops a field that it does not know. */
  dropped?: RegExp;
  /** The least number of places in which the text is sent upstream. In others, the request is refused with a 400. */
  places: number;
}

export const DIALECTS: Dialect[] = [
  {
    path: '/chat/completions',
    provider: 'local',
    schema: chatRequest,
    samples: [CHAT, SIMPLE_CHAT, MEDIA_CHAT],
    limitUsd: '0.002',
    places: 50,
  },
  {
    path: '/messages',
    provider: 'anthropic',
    schema: messagesRequest,
    samples: [MESSAGES],
    limitUsd: '0.002',
    places: 50,
  },
  {
    path: '/responses',
    provider: 'openai',
    schema: responsesRequest,
    samples: [RESPONSES],
    limitUsd: '0.002',
    places: 50,
  },
  {
    path: '/completions',
    provider: 'local',
    schema: completionsRequest,
    samples: [{ ...MODEL, max_tokens: 1, prompt: 'Hi' }],
    limitUsd: '0.002',
    places: 4,
  },
  {
    path: '/embeddings',
    provider: 'local',
    schema: operations.createEmbeddings.body.schema,
    samples: [{ model: 'local/embed-1', input: ['Hi'] }],
    limitUsd: '0.0002',
    places: 5,
  },
  {
    path: '/rerank',
    provider: 'local',
    schema: operations.createRerank.body.schema,
    samples: [{ model: RANK, query: 'Hi', documents: ['Hi', { text: 'Hi' }] }],
    dropped: /^documents\.1\.(?:a_field_of_tomorrow|\(a name\))/,
    limitUsd: '0.002',
    places: 5,
  },
  {
    path: '/api/v2/rerank',
    provider: 'local',
    schema: operations.createCohereRerank.body.schema,
    samples: [{ model: RANK, query: 'Hi', documents: ['Hi', 'Ho'] }],
    limitUsd: '0.002',
    places: 5,
  },
  {
    path: '/audio/speech',
    provider: 'local',
    schema: operations.createSpeech.body.schema,
    samples: [{ model: SPEAK, input: 'Hi', voice: 'alto' }],
    dropped: /^(?:a_field_of_tomorrow|\(a name\))/,
    limitUsd: '0.002',
    places: 1,
  },
  {
    path: '/images',
    provider: 'local',
    schema: operations.createImages.body.schema,
    samples: [{ model: 'local/image-1', prompt: 'Hi', size: SMALL }],
    dropped: /^(?:a_field_of_tomorrow|\(a name\))/,
    limitUsd: '0.004',
    places: 1,
  },
];

/** Returns the requests of a dialect with the text in one place each. */
export function plantedIn({ schema, samples, provider }: Dialect): PlantedBody[] {
  const byOptions = samples.slice(0, 1).flatMap((sample) =>
    plantInSample(OPTIONS, TEXT).map(({ path, body }) => ({
      path: `provider.options.${path}`,
      body: { ...sample, provider: { options: { [provider]: body } } },
    })),
  );
  return [
    ...samples.flatMap((sample) => [...plantInSample(sample, TEXT), ...plantBySchema(schema, sample, TEXT)]),
    ...byOptions,
  ];
}

/** Fields that only the gateway uses. They are sent to no provider, so that a text in them costs nothing. */
export const NOT_SENT =
  /^(plugins|provider(?!\.options\.)|trace|user|session_id|debug|usage|transforms|include_reasoning|route|metadata\.user_id)\b/;
/** Options for a field count only where the request lacks the field, because the request's own wins. */
export const REPLACED = /^provider\.options\.(messages|tools)\b/;
