/**
 * Lists OpenAI's models for embeddings, speech and pictures. Facts are those of the models' own pages, read 2026-11-21.
 */
import type { VendorEndpoint, VendorModel } from '../vendor.ts';

const VOICES = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'];

/** The capabilities that all models of pictures share. */
const PICTURES = {
  aspectRatios: [
    '1:1',
    '3:2',
    '2:3',
    '4:3',
    '3:4',
    '5:4',
    '4:5',
    '16:9',
    '9:16',
    '2:1',
    '1:2',
    '21:9',
    '9:21',
  ],
  resolutions: ['1K', '1.5K', '2K', '4K'],
  sizes: 'any',
  sizeLimits: {
    multipleOf: 16,
    maxSide: 3840,
    minPixels: 655360,
    maxPixels: 8294400,
    maxRatio: 3,
  },
  outputFormats: ['png', 'jpeg', 'webp'],
  maxImages: 10,
  maxReferences: 16,
  compression: true,
  streaming: true,
  passthroughParameters: ['moderation', 'partial_images'],
} satisfies Partial<VendorEndpoint['image']>;

const PICTURE_PARAMETERS = [
  'aspect_ratio',
  'background',
  'input_references',
  'n',
  'output_compression',
  'output_format',
  'quality',
  'resolution',
  'size',
];

export const MEDIA_MODELS: VendorModel[] = [
  {
    id: 'openai/text-embedding-3-small',
    canonicalSlug: 'openai/text-embedding-3-small',
    name: 'OpenAI: Text Embedding 3 Small',
    description: 'Vectors of up to 1,536 dimensions for search and clustering.',
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
    contextLength: 8192,
    createdAt: '2024-01-25',
  },
  {
    id: 'openai/text-embedding-3-large',
    canonicalSlug: 'openai/text-embedding-3-large',
    name: 'OpenAI: Text Embedding 3 Large',
    description: 'Vectors of up to 3,072 dimensions, for the best results in any language.',
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
    contextLength: 8192,
    createdAt: '2024-01-25',
  },
  {
    id: 'openai/gpt-4o-mini-tts',
    canonicalSlug: 'openai/gpt-4o-mini-tts-2025-12-15',
    name: 'OpenAI: GPT-4o Mini TTS',
    description: 'Speech whose delivery follows instructions.',
    inputModalities: ['text'],
    outputModalities: ['audio'],
    contextLength: 2000,
    createdAt: '2025-03-20',
  },
  {
    id: 'openai/tts-1',
    canonicalSlug: 'openai/tts-1',
    name: 'OpenAI: TTS-1',
    description: 'Speech that begins soon.',
    inputModalities: ['text'],
    outputModalities: ['audio'],
    createdAt: '2023-11-06',
  },
  {
    id: 'openai/tts-1-hd',
    canonicalSlug: 'openai/tts-1-hd',
    name: 'OpenAI: TTS-1 HD',
    description: 'Speech of better quality, which takes longer.',
    inputModalities: ['text'],
    outputModalities: ['audio'],
    createdAt: '2023-11-06',
  },
  {
    id: 'openai/gpt-image-2.5-flare',
    canonicalSlug: 'openai/gpt-image-2.5-flare-2026-09-08',
    name: 'OpenAI: GPT Image 2.5 Flare',
    description: 'Makes and edits pictures, for everyday use.',
    inputModalities: ['text', 'image'],
    outputModalities: ['image'],
    createdAt: '2026-09-08',
  },
  {
    id: 'openai/gpt-image-2.5-sunburst',
    canonicalSlug: 'openai/gpt-image-2.5-sunburst-2026-09-08',
    name: 'OpenAI: GPT Image 2.5 Sunburst',
    description: 'Makes and edits pictures, where every detail counts.',
    inputModalities: ['text', 'image'],
    outputModalities: ['image'],
    createdAt: '2026-09-08',
  },
  {
    id: 'openai/gpt-image-2',
    canonicalSlug: 'openai/gpt-image-2-2026-04-21',
    name: 'OpenAI: GPT Image 2',
    description: 'Makes and edits pictures; without transparent backgrounds.',
    inputModalities: ['text', 'image'],
    outputModalities: ['image'],
    createdAt: '2026-04-21',
  },
];

export const MEDIA_ENDPOINTS: VendorEndpoint[] = [
  {
    modelId: 'openai/text-embedding-3-small',
    capability: 'embeddings',
    upstreamModelId: 'text-embedding-3-small',
    contextLength: 8192,
    supportedParameters: ['dimensions', 'encoding_format'],
  },
  {
    modelId: 'openai/text-embedding-3-large',
    capability: 'embeddings',
    upstreamModelId: 'text-embedding-3-large',
    contextLength: 8192,
    supportedParameters: ['dimensions', 'encoding_format'],
  },
  {
    modelId: 'openai/gpt-4o-mini-tts',
    capability: 'speech',
    upstreamModelId: 'gpt-4o-mini-tts',
    contextLength: 2000,
    supportedParameters: ['instructions', 'response_format', 'speed', 'voice'],
    speech: {
      voices: [
        'alloy',
        'ash',
        'ballad',
        'cedar',
        'coral',
        'echo',
        'fable',
        'marin',
        'nova',
        'onyx',
        'sage',
        'shimmer',
        'verse',
      ],
      formats: ['pcm', 'mp3'],
      instructions: true,
      speed: {
        min: 0.25,
        max: 4,
      },
    },
  },
  {
    modelId: 'openai/tts-1',
    capability: 'speech',
    upstreamModelId: 'tts-1',
    supportedParameters: ['response_format', 'speed', 'voice'],
    speech: {
      voices: VOICES,
      formats: ['pcm', 'mp3'],
      speed: {
        min: 0.25,
        max: 4,
      },
    },
  },
  {
    modelId: 'openai/tts-1-hd',
    capability: 'speech',
    upstreamModelId: 'tts-1-hd',
    supportedParameters: ['response_format', 'speed', 'voice'],
    speech: {
      voices: VOICES,
      formats: ['pcm', 'mp3'],
      speed: {
        min: 0.25,
        max: 4,
      },
    },
  },
  {
    modelId: 'openai/gpt-image-2.5-flare',
    capability: 'image',
    upstreamModelId: 'gpt-image-2.5-flare',
    supportedParameters: PICTURE_PARAMETERS,
    image: {
      ...PICTURES,
      backgrounds: ['auto', 'transparent', 'opaque'],
      qualities: ['auto', 'low', 'medium', 'high', 'xhigh', 'max'],
    },
  },
  {
    modelId: 'openai/gpt-image-2.5-sunburst',
    capability: 'image',
    upstreamModelId: 'gpt-image-2.5-sunburst',
    supportedParameters: PICTURE_PARAMETERS,
    image: {
      ...PICTURES,
      backgrounds: ['auto', 'transparent', 'opaque'],
      qualities: ['auto', 'low', 'medium', 'high', 'xhigh', 'max'],
    },
  },
  {
    modelId: 'openai/gpt-image-2',
    capability: 'image',
    upstreamModelId: 'gpt-image-2',
    supportedParameters: PICTURE_PARAMETERS,
    image: { ...PICTURES, backgrounds: ['auto', 'opaque'], qualities: ['auto', 'low', 'medium', 'high'] },
  },
];
