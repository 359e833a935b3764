/**
 * Lists the models of Amazon Bedrock. Claude and Nova are called by their global inference profiles, which every region
 * has and whose prices are the same everywhere. AWS keeps no prompts of them, except for the Claude models for which
 * their maker asks for it (aws.amazon.com/bedrock/faqs, "Security", as found on 2026-11-28).
 */
import type { Vendor, VendorEndpoint, VendorModel } from '../vendor.ts';
import { ANTHROPIC } from './anthropic.ts';

/** The rest of the names of models that do not end with their version or date. */
const ENDINGS: Record<string, string> = {
  'claude-opus-4-5-20251101': '-v1:0',
  'claude-haiku-4-5-20251001': '-v1:0',
  'claude-opus-4-6': '-v1',
};
/** Parameters of Anthropic's own API, or whose support differs between models on Bedrock. */
const NOT_HERE = new Set(['service_tier', 'response_format', 'structured_outputs']);
const WITH_DATA = /fable/;

const toClaude = ({ upstreamModelId: name, ...endpoint }: VendorEndpoint): VendorEndpoint => ({
  ...endpoint,
  upstreamModelId: `global.anthropic.${name}${ENDINGS[name] ?? ''}`,
  supportedParameters: endpoint.supportedParameters.filter((parameter) => !NOT_HERE.has(parameter)),
  collectsData: WITH_DATA.test(name),
});

const CHAT = ['max_tokens', 'max_completion_tokens', 'stop', 'tools', 'tool_choice', 'temperature', 'top_p'];
const ADDED = '2026-11-28';

const MODELS: VendorModel[] = [
  {
    id: 'amazon/nova-2-lite-v1',
    canonicalSlug: 'amazon/nova-2-lite-v1',
    name: 'Amazon: Nova 2 Lite',
    description: "Amazon's fast model that reads pictures and documents, with a context of a million tokens.",
    inputModalities: ['text', 'image', 'file'],
    outputModalities: ['text'],
    reasoning: {
      mandatory: false,
      defaultEnabled: false,
      defaultEffort: 'medium',
      supportedEfforts: ['high', 'medium', 'low'],
    },
    createdAt: '2025-12-02',
  },
  {
    id: 'amazon/titan-embed-text-v2',
    canonicalSlug: 'amazon/titan-embed-text-v2',
    name: 'Amazon: Titan Text Embeddings V2',
    description: 'Vectors of 256, 512 or 1,024 dimensions for text.',
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
    createdAt: '2024-04-30',
  },
  {
    id: 'amazon/rerank-v1',
    canonicalSlug: 'amazon/rerank-v1',
    name: 'Amazon: Rerank 1.0',
    description: 'Sorts documents by how well they answer a query. Charged by the search.',
    inputModalities: ['text'],
    outputModalities: ['rerank'],
    createdAt: ADDED,
  },
];

const ENDPOINTS: VendorEndpoint[] = [
  {
    modelId: 'amazon/nova-2-lite-v1',
    capability: 'chat',
    upstreamModelId: 'global.amazon.nova-2-lite-v1:0',
    supportedParameters: [...CHAT, 'top_k', 'reasoning'],
  },
  {
    modelId: 'openai/gpt-oss-120b',
    capability: 'chat',
    upstreamModelId: 'openai.gpt-oss-120b-1:0',
    supportedParameters: [...CHAT, 'reasoning'],
  },
  {
    modelId: 'amazon/titan-embed-text-v2',
    capability: 'embeddings',
    upstreamModelId: 'amazon.titan-embed-text-v2:0',
    supportedParameters: ['dimensions'],
  },
  {
    modelId: 'cohere/embed-v4.0',
    capability: 'embeddings',
    upstreamModelId: 'global.cohere.embed-v4:0',
    supportedParameters: ['dimensions'],
  },
  {
    modelId: 'amazon/rerank-v1',
    capability: 'rerank',
    upstreamModelId: 'amazon.rerank-v1:0',
    supportedParameters: [],
  },
  {
    modelId: 'cohere/rerank-v3.5',
    capability: 'rerank',
    upstreamModelId: 'cohere.rerank-v3-5:0',
    supportedParameters: [],
  },
];

export const BEDROCK: Vendor = {
  name: 'bedrock',
  provider: {
    slug: 'bedrock',
    name: 'Amazon Bedrock',
    adapter: 'bedrock',
    privacyPolicyUrl: 'https://aws.amazon.com/privacy/',
    termsOfServiceUrl: 'https://aws.amazon.com/service-terms/',
    statusPageUrl: 'https://health.aws.amazon.com/health/status',
    headquarters: 'US',
  },
  models: MODELS,
  endpoints: [
    ...ANTHROPIC.endpoints.map(toClaude),
    ...ENDPOINTS.map((endpoint) => ({ ...endpoint, collectsData: false })),
  ],
};
