import { z } from 'zod';
import type { TextEndpoint, TokenPricing, VideoCapabilities, VideoEndpoint } from '../domain/catalog.ts';
import { MODALITIES } from '../domain/generation.ts';
import { parseUsd } from '../domain/money.ts';
import localCatalog from './local/catalog.json' with { type: 'json' };
import openAiCatalog from './openai/catalog.json' with { type: 'json' };
import openAiCompatibleCatalog from './openai-compatible/catalog.json' with { type: 'json' };
import replicateCatalog from './replicate/catalog.json' with { type: 'json' };

/**
 * An adapter's `catalog.json`: the provider, the models it brings and the endpoints that serve them, in the
 * words of `domain/catalog.ts`, so that its rows are the catalog's rows. What a capability list leaves out
 * the endpoint does not take.
 */
export interface CatalogFile {
  providers: { slug: string; name: string; adapter: string; baseUrl: string | null }[];
  models: {
    id: string;
    canonicalSlug: string;
    name: string;
    description: string | null;
    huggingFaceId: string | null;
    inputModalities: string[];
    outputModalities: string[];
    contextLength: number | null;
    createdAt: Date;
  }[];
  /** Those that make video. */
  endpoints: VideoEndpoint[];
  textEndpoints: TextEndpoint[];
}

const modelId = z.string().regex(/^[^/ ]+\/[^/ ]+$/);
const slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const decimal = z.string().refine((text) => parses(text), 'must be a decimal amount of dollars');
const tokens = z.int().min(1);
const milliseconds = z.int().min(1);
const orNull = <T extends z.ZodType>(schema: T) => schema.nullable().default(null);
const modalities = z.array(z.enum(MODALITIES)).min(1);
const someOf = <T extends z.ZodType>(schema: T) => orNull(z.array(schema).min(1));

const capabilities: z.ZodType<VideoCapabilities> = z.strictObject({
  resolutions: someOf(z.enum(['360p', '480p', '720p', '768p', '1080p', '1K', '2K', '4K'])),
  aspectRatios: someOf(z.enum(['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'])),
  durations: someOf(z.int().min(1)),
  sizes: someOf(z.string().regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/)),
  frameImages: someOf(z.enum(['first_frame', 'last_frame'])),
  inputReferences: someOf(z.enum(['image', 'audio', 'video'])),
  generateAudio: orNull(z.boolean()),
  seed: orNull(z.boolean()),
  creativity: someOf(z.int()),
  upscaleFactor: orNull(z.strictObject({ min: z.number().exactOptional(), max: z.number().exactOptional() })),
  passthroughParameters: z.array(z.string()).default([]),
  continuation: z.boolean().default(false),
  continuationDuration: z.boolean().default(false),
  promptOptional: z.boolean().default(false),
});

const pricing: z.ZodType<TokenPricing> = z.strictObject({
  prompt: decimal,
  completion: decimal,
  request: decimal.exactOptional(),
  image: decimal.exactOptional(),
  audio: decimal.exactOptional(),
  audioOutput: decimal.exactOptional(),
  imageOutput: decimal.exactOptional(),
  inputCacheRead: decimal.exactOptional(),
  inputCacheWrite: decimal.exactOptional(),
  internalReasoning: decimal.exactOptional(),
});

const place = {
  id: z.string(),
  modelId,
  providerSlug: slug,
  upstreamModelId: z.string(),
  region: z.enum(['global', 'europe', 'us']).default('global'),
  priority: z.int().default(0),
};

/** Of a data policy that is not stated the worse is assumed, as in the table. */
const textEndpoint = z
  .strictObject({
    ...place,
    capability: z.enum(['chat', 'embeddings']),
    pricing,
    contextLength: orNull(tokens),
    maxCompletionTokens: orNull(tokens),
    quantization: orNull(z.string()),
    supportedParameters: z.array(z.string()).default([]),
    collectsData: z.boolean().default(true),
    zdr: z.boolean().default(false),
    distillable: z.boolean().default(false),
    timeouts: z
      .strictObject({
        firstByteMs: milliseconds.exactOptional(),
        idleMs: milliseconds.exactOptional(),
        attemptMs: milliseconds.exactOptional(),
      })
      .default({}),
  })
  .refine(({ zdr, collectsData }) => !(zdr && collectsData), 'zero data retention collects no data');

const catalogFile: z.ZodType<CatalogFile> = z.strictObject({
  providers: z.array(z.strictObject({ slug, name: z.string(), adapter: slug, baseUrl: orNull(z.url()) })),
  models: z.array(
    z.strictObject({
      id: modelId,
      canonicalSlug: modelId,
      name: z.string(),
      description: orNull(z.string()),
      huggingFaceId: orNull(z.string()),
      inputModalities: modalities,
      outputModalities: modalities,
      contextLength: orNull(tokens),
      createdAt: z.iso.datetime().transform((text) => new Date(text)),
    }),
  ),
  endpoints: z.array(
    z.strictObject({
      ...place,
      pricingSkus: z.record(z.string(), decimal),
      capabilities,
      maxRunSeconds: z.int().min(1).default(3600),
    }),
  ),
  textEndpoints: z.array(textEndpoint).default([]),
});

/** Throws a ZodError that names every problem. */
export function parseCatalogFile(json: unknown): CatalogFile {
  return catalogFile.parse(json);
}

/** What the adapters of this version bring along. */
export function bundledCatalogs(): CatalogFile[] {
  return [localCatalog, openAiCatalog, openAiCompatibleCatalog, replicateCatalog].map(parseCatalogFile);
}

function parses(amount: string): boolean {
  try {
    return parseUsd(amount) >= 0n;
  } catch {
    return false;
  }
}
