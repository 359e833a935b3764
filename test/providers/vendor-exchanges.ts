/** Lists an exchange with a vendor for each operation of each adapter, with an answer that the vendor may give. */
import type { ImageRequest } from '../../providers/image-adapter.ts';
import { TEXT_EXCHANGES } from './text-exchanges.ts';
import { allOf, SERVERS, type VendorExchange } from './vendor-exchange.ts';
import { VIDEO_EXCHANGES } from './video-exchanges.ts';

const IMAGE: ImageRequest = { model: 'm', prompt: 'A boat', n: 1, references: [], outputFormat: 'png' };
const RERANK = { model: 'm', query: 'a river', documents: ['the river', 'the sea'] };
const IMAGE_USAGE = {
  input_tokens: 3,
  output_tokens: 9,
  total_tokens: 12,
  input_tokens_details: { text_tokens: 3 },
};

export const EXCHANGES: VendorExchange[] = [
  ...TEXT_EXCHANGES,
  {
    operation: 'embeddings',
    adapters: ['openai', 'azure', 'jina', 'voyage', ...SERVERS],
    answer: {
      object: 'list',
      model: 'm',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    },
    decides: ['data', 'data.0', 'data.0.index', 'data.0.embedding', 'data.0.embedding.*'],
    ask: ({ embeddings }, context) => embeddings!.embed({ model: 'm', input: 'Hi' }, context),
  },
  {
    operation: 'embeddings',
    adapters: ['cohere'],
    answer: {
      id: 'e1',
      texts: ['Hi'],
      response_type: 'embeddings_by_type',
      embeddings: { float: [[0.5, -0.25]] },
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 3 } },
    },
    decides: ['embeddings', 'embeddings.*', 'embeddings.*.*', 'embeddings.*.*.*'],
    ask: ({ embeddings }, context) => embeddings!.embed({ model: 'm', input: 'Hi' }, context),
  },
  {
    operation: 'embeddings',
    adapters: ['google'],
    answer: { embeddings: [{ values: [0.5, -0.25] }], usageMetadata: { promptTokenCount: 3 } },
    decides: ['embeddings', 'embeddings.0', 'embeddings.0.values', 'embeddings.0.values.*'],
    ask: ({ embeddings }, context) => embeddings!.embed({ model: 'm', input: 'Hi' }, context),
  },
  {
    operation: 'embeddings',
    adapters: ['google-vertex'],
    answer: { embedding: { values: [0.5, -0.25] }, usageMetadata: { promptTokenCount: 3 }, truncated: false },
    decides: ['embedding', 'embedding.values', 'embedding.values.*'],
    ask: ({ embeddings }, context) =>
      embeddings!.embed({ model: 'gemini-embedding-2', input: 'Hi' }, context),
  },
  {
    operation: 'Converse',
    adapters: ['bedrock'],
    answer: {
      output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
      stopReason: 'end_turn',
      usage: {
        inputTokens: 11,
        outputTokens: 7,
        totalTokens: 21,
        cacheReadInputTokens: 1,
        cacheWriteInputTokens: 2,
        cacheDetails: [{ ttl: '1h', inputTokens: 2 }],
      },
      metrics: { latencyMs: 9 },
      serviceTier: { type: 'default' },
    },
    decides: [
      'output',
      'output.message',
      'output.message.content',
      'output.message.content.0',
      'output.message.content.0.text',
    ],
    async ask({ messages }, context) {
      const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
      // Without the header of AWS, each answer has an id of its own.
      const { id: _, ...answer } = await messages!.create(request, context);
      return answer;
    },
  },
  {
    operation: 'embeddings',
    adapters: ['bedrock'],
    answer: { embedding: [0.5, -0.25], embeddingsByType: { float: [0.5] }, inputTextTokenCount: 3 },
    decides: ['embedding', 'embedding.*'],
    ask: ({ embeddings }, context) => embeddings!.embed({ model: 'amazon.titan', input: 'Hi' }, context),
  },
  {
    operation: 'rerank',
    adapters: ['bedrock'],
    answer: {
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.1 },
      ],
      usage: { total_tokens: 9 },
    },
    decides: ['results', 'results.0', 'results.1', 'results.*.index', 'results.*.relevance_score'],
    ask: ({ rerank }, context) => rerank!.rerank(RERANK, context),
  },
  {
    operation: 'rerank',
    adapters: ['voyage'],
    answer: {
      object: 'list',
      model: 'm',
      data: [
        { index: 1, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.1 },
      ],
      usage: { total_tokens: 9 },
    },
    decides: ['data', 'data.0', 'data.1', 'data.*.index', 'data.*.relevance_score'],
    ask: ({ rerank }, context) => rerank!.rerank(RERANK, context),
  },
  {
    operation: 'rerank',
    adapters: ['cohere', 'jina', ...SERVERS],
    answer: {
      id: 'r1',
      results: [
        { index: 1, relevance_score: 0.9, document: { text: 'the sea' } },
        { index: 0, relevance_score: 0.1 },
      ],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
      usage: { total_tokens: 9 },
    },
    decides: ['results', 'results.0', 'results.1', 'results.*.index', 'results.*.relevance_score'],
    ask: ({ rerank }, context) => rerank!.rerank(RERANK, context),
  },
  {
    operation: 'images',
    adapters: ['openai', ...SERVERS],
    answer: {
      created: 1,
      background: 'opaque',
      output_format: 'png',
      quality: 'low',
      size: '1024x1024',
      data: [{ b64_json: 'AAAA', revised_prompt: 'A boat' }],
      usage: IMAGE_USAGE,
    },
    decides: ['data', 'data.0', 'data.0.b64_json'],
    ask: ({ image }, context) => image!.generate(IMAGE, context),
  },
  {
    operation: 'images',
    adapters: ['fal'],
    answer: {
      images: [{ url: 'data:image/png;base64,AAAA', content_type: 'image/png', width: 1, height: 1 }],
      timings: { inference: 0.5 },
      seed: 7,
      has_nsfw_concepts: [false],
      prompt: 'A boat',
    },
    decides: ['images', 'images.0', 'images.0.url', 'has_nsfw_concepts', 'has_nsfw_concepts.0'],
    ask: ({ image }, context) => image!.generate(IMAGE, context),
  },
  {
    operation: 'images',
    adapters: ['google', 'google-vertex'],
    answer: {
      candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 9 },
    },
    decides: [
      'candidates',
      'candidates.0',
      'candidates.0.content',
      'candidates.0.content.parts',
      'candidates.0.content.parts.0',
      'candidates.0.content.parts.0.inlineData',
      'candidates.0.content.parts.0.inlineData.data',
    ],
    ask: ({ image }, context) => image!.generate(IMAGE, context),
  },
  {
    operation: 'a stream of images',
    adapters: ['openai', ...SERVERS],
    answer: [
      { type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: 0, size: 'auto' },
      { type: 'image_generation.completed', b64_json: 'AAAA', output_format: 'png', usage: IMAGE_USAGE },
    ],
    isStream: true,
    decides: ['*', '*.type', '*.b64_json'],
    ask: ({ image }, context) => allOf(image!.stream!(IMAGE, context)),
  },
  {
    operation: 'speech',
    adapters: ['openai', 'azure', 'google', 'google-vertex', ...SERVERS],
    answer: null,
    decides: [''],
    async ask({ speech }, context) {
      const { audio } = await speech!.speak(
        { model: 'm', input: 'Hi', format: 'mp3', references: [] },
        context,
      );
      return allOf(Promise.resolve(audio));
    },
  },
  ...VIDEO_EXCHANGES,
];
