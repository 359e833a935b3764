/**
 * Lists Google's models of chat and embeddings. Facts are those of ai.google.dev/gemini-api/docs (models, deprecations,
 * changelog, thinking) and docs.cloud.google.com, as copies that were found on 2026-11-28 quote them. All think by
 * levels and cannot be kept from thinking; the newest ignore sampling parameters.
 */
import type { ReasoningEffort } from '../../../domain/catalog/model-facts.ts';
import { GOOGLE_VIDEOS, VERTEX_VIDEOS } from './google-videos.ts';
import type { Vendor, VendorEndpoint, VendorModel } from '../vendor.ts';
import { ANTHROPIC } from './anthropic.ts';
import { endpointsAt } from './compatible-models.ts';
import { MEDIA_ENDPOINTS, MEDIA_MODELS } from './google-media.ts';

const PARAMETERS = [
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'tools',
  'tool_choice',
  'reasoning',
  'response_format',
  'structured_outputs',
  'service_tier',
  'seed',
];
const SAMPLING = ['temperature', 'top_p', 'top_k'];

const LEVELS: ReasoningEffort[] = ['high', 'medium', 'low'];
const DOWN_TO_MINIMAL: ReasoningEffort[] = [...LEVELS, 'minimal'];

/** The longest answer to one request of generation 4. Longer ones need the vendor's continuation. */
const MAX_OF_ONE_REQUEST = 65_536;

interface Gemini {
  name: string;
  released: string;
  description: string;
  efforts: ReasoningEffort[];
  defaultEffort?: ReasoningEffort;
  sampling?: true;
  maxCompletionTokens?: number;
}

const GEMINIS: Gemini[] = [
  {
    name: '4 Argon',
    released: '2026-10-13',
    description: "Google's most capable model, for hard coding, agentic, mathematical and scientific work.",
    efforts: LEVELS,
    defaultEffort: 'medium',
    maxCompletionTokens: MAX_OF_ONE_REQUEST,
  },
  {
    name: '4 Hydrogen',
    released: '2026-11-12',
    description: 'Fast and efficient, for everyday coding and agents.',
    efforts: ['xhigh', ...LEVELS],
    defaultEffort: 'high',
    maxCompletionTokens: MAX_OF_ONE_REQUEST,
  },
  {
    name: '3.8 Flash',
    released: '2026-09-02',
    description: 'The balance of price, speed and intelligence of generation 3.',
    efforts: LEVELS,
    defaultEffort: 'medium',
  },
  {
    name: '3.6 Flash',
    released: '2026-07-21',
    description: 'An earlier Flash, which also thinks minimally.',
    efforts: DOWN_TO_MINIMAL,
    defaultEffort: 'medium',
  },
  {
    name: '3.5 Flash-Lite',
    released: '2026-07-21',
    description: 'Cheap and fast, for large volumes and for agents below others.',
    efforts: DOWN_TO_MINIMAL,
    defaultEffort: 'minimal',
  },
  {
    name: '3.1 Flash-Lite',
    released: '2026-05-07',
    description: 'The cheapest model of chat, for large volumes.',
    efforts: DOWN_TO_MINIMAL,
    sampling: true,
  },
  {
    name: '3.1 Pro Preview',
    released: '2026-02-19',
    description: 'For complex reasoning over long texts, pictures, sound and videos.',
    efforts: LEVELS,
    defaultEffort: 'high',
    sampling: true,
  },
];

const nameOf = ({ name }: Gemini): string => `gemini-${name.toLowerCase().replaceAll(' ', '-')}`;

const toModel = (gemini: Gemini): VendorModel => ({
  id: `google/${nameOf(gemini)}`,
  canonicalSlug: `google/${nameOf(gemini)}`,
  name: `Google: Gemini ${gemini.name}`,
  description: gemini.description,
  inputModalities: ['text', 'image', 'file', 'audio', 'video'],
  outputModalities: ['text'],
  tokenizer: 'Gemini',
  contextLength: 1_048_576,
  reasoning: {
    mandatory: true,
    defaultEnabled: true,
    supportedEfforts: gemini.efforts,
    ...(gemini.defaultEffort && { defaultEffort: gemini.defaultEffort }),
  },
  createdAt: gemini.released,
});

const toEndpoint = (gemini: Gemini): VendorEndpoint => ({
  modelId: `google/${nameOf(gemini)}`,
  capability: 'chat',
  upstreamModelId: nameOf(gemini),
  contextLength: 1_048_576,
  ...(gemini.maxCompletionTokens && { maxCompletionTokens: gemini.maxCompletionTokens }),
  supportedParameters: [...PARAMETERS, ...(gemini.sampling ? SAMPLING : [])],
  // Google trains on what projects without billing send.
  collectsData: true,
});

const EMBEDDINGS: { name: string; title: string; description: string; contextLength: number }[] = [
  {
    name: 'gemini-embedding-2',
    title: 'Google: Gemini Embedding 2',
    description: 'Vectors of up to 3,072 dimensions for search and clustering, in more than 100 languages.',
    contextLength: 8_192,
  },
  {
    name: 'gemini-embedding-001',
    title: 'Google: Gemini Embedding 001',
    description: 'The earlier embeddings, for texts of up to 2,048 tokens.',
    contextLength: 2_048,
  },
];

const toEmbeddingModel = ({
  name,
  title,
  description,
  contextLength,
}: (typeof EMBEDDINGS)[number]): VendorModel => ({
  id: `google/${name}`,
  canonicalSlug: `google/${name}`,
  name: title,
  description,
  inputModalities: ['text'],
  outputModalities: ['embeddings'],
  contextLength,
  // The day on which the model came into this catalog.
  createdAt: '2026-11-28',
});

const toEmbeddingEndpoint = ({ name, contextLength }: (typeof EMBEDDINGS)[number]): VendorEndpoint => ({
  modelId: `google/${name}`,
  capability: 'embeddings',
  upstreamModelId: name,
  contextLength,
  supportedParameters: ['dimensions', 'encoding_format'],
});

export const GOOGLE: Vendor = {
  name: 'google',
  provider: {
    slug: 'google',
    name: 'Google Gemini API',
    adapter: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    privacyPolicyUrl: 'https://policies.google.com/privacy',
    termsOfServiceUrl: 'https://ai.google.dev/gemini-api/terms',
    statusPageUrl: 'https://aistudio.google.com/status',
    headquarters: 'US',
  },
  models: [
    ...GEMINIS.map(toModel),
    ...EMBEDDINGS.map(toEmbeddingModel),
    ...MEDIA_MODELS,
    ...GOOGLE_VIDEOS.models,
  ],
  endpoints: [...GEMINIS.map(toEndpoint), ...EMBEDDINGS.map(toEmbeddingEndpoint), ...MEDIA_ENDPOINTS],
  videoEndpoints: GOOGLE_VIDEOS.videoEndpoints,
};

/** Parameters of Anthropic's own API that clients of Vertex AI do not send there. */
const NOT_WITH_CLAUDE = new Set(['service_tier', 'response_format', 'structured_outputs']);

/** Claude on Google's cloud. The names of models before 4.6 have dates; the sources say that Google has ended them. */
const CLAUDES: VendorEndpoint[] = ANTHROPIC.endpoints
  .filter(({ upstreamModelId }) => !/-\d{8}$/.test(upstreamModelId))
  .map((endpoint) => ({
    ...endpoint,
    supportedParameters: endpoint.supportedParameters.filter((parameter) => !NOT_WITH_CLAUDE.has(parameter)),
  }));

/** Open models, which Google serves with tools and at its global endpoint (docs.cloud.google.com, "OpenAI models"). */
const OPEN_MODELS = endpointsAt('google-vertex').map((endpoint): VendorEndpoint => ({
  ...endpoint,
  capability: 'chat',
}));

/** The models of Google's cloud, at the prices of its global endpoint. They are in the catalogs of their makers. */
export const GOOGLE_VERTEX: Vendor = {
  name: 'google-vertex',
  provider: {
    slug: 'google-vertex',
    name: 'Google Vertex AI',
    adapter: 'google-vertex',
    privacyPolicyUrl: 'https://cloud.google.com/terms/cloud-privacy-notice',
    termsOfServiceUrl: 'https://cloud.google.com/terms',
    statusPageUrl: 'https://status.cloud.google.com/',
    headquarters: 'US',
  },
  models: VERTEX_VIDEOS.models,
  endpoints: [
    ...GEMINIS.map(toEndpoint),
    ...EMBEDDINGS.map(toEmbeddingEndpoint),
    ...MEDIA_ENDPOINTS,
    ...CLAUDES,
    ...OPEN_MODELS,
  ],
  videoEndpoints: VERTEX_VIDEOS.videoEndpoints,
};
