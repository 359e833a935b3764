/** Parses catalog files, both those bundled with adapters and those that operators import. */
import { z } from 'zod';
import {
  LIVE_CAPABILITIES,
  QUANTIZATIONS,
  type ImageCapabilities,
  type LiveEndpoint,
  type SpeechCapabilities,
  type VideoCapabilities,
  type VideoEndpoint,
} from '../domain/catalog/catalog.ts';
import { DEVIATIONS } from '../domain/catalog/deviations.ts';
import type { CatalogModel } from '../domain/catalog/model-facts.ts';
import anthropicCatalog from './anthropic/catalog.json' with { type: 'json' };
import azureCatalog from './azure/catalog.json' with { type: 'json' };
import bedrockCatalog from './bedrock/catalog.json' with { type: 'json' };
import {
  type FileProvider,
  fileModel,
  fileProvider,
  modelId,
  orNull,
  slug,
  tokens,
  storableText,
} from './catalog-model-file.ts';
import { checkMeters, liveUnits, videoMeters } from './catalog-meter-file.ts';
import { decimal, tokenPricing } from './catalog-price-file.ts';
import cohereCatalog from './cohere/catalog.json' with { type: 'json' };
import falCatalog from './fal/catalog.json' with { type: 'json' };
import googleCatalog from './google/catalog.json' with { type: 'json' };
import jinaCatalog from './jina/catalog.json' with { type: 'json' };
import localCatalog from './local/catalog.json' with { type: 'json' };
import openAiCatalog from './openai/catalog.json' with { type: 'json' };
import openAiCompatibleCatalog from './openai-compatible/catalog.json' with { type: 'json' };
import replicateCatalog from './replicate/catalog.json' with { type: 'json' };

/**
 * The content of an adapter's `catalog.json`: the provider, its models and the endpoints that serve them. Fields are
 * named as in `domain/catalog/catalog.ts`, so rows are copied to the catalog as they are. An endpoint supports only the
 * parameters that its capabilities contain.
 */
export interface CatalogFile {
  /** The public data that the prices come from; absent in files that people write. */
  sources?: CatalogFileSource[] | undefined;
  providers: FileProvider[];
  models: CatalogModel[];
  /** Endpoints that make videos. */
  endpoints: VideoEndpoint[];
  liveEndpoints: LiveEndpoint[];
}

/** A version of public price data. */
export interface CatalogFileSource {
  name: string;
  version: string;
  /** The day on which the data was read, as `YYYY-MM-DD`. */
  date: string;
  /** The hash of the whole file, of which the catalog has a part. */
  sha256: string;
}

const source: z.ZodType<CatalogFileSource> = z.strictObject({
  name: storableText(128),
  version: storableText(64),
  date: z.iso.date(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal'),
});

const milliseconds = z.int().min(1);
const pixels = z.string().regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must be WIDTHxHEIGHT in pixels');
const someOf = <T extends z.ZodType>(schema: T) => orNull(z.array(schema).min(1));

const capabilities: z.ZodType<VideoCapabilities> = z.strictObject({
  resolutions: someOf(z.enum(['360p', '480p', '720p', '768p', '1080p', '1K', '2K', '4K'])),
  aspectRatios: someOf(z.enum(['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'])),
  durations: someOf(z.int().min(1)),
  sizes: someOf(pixels),
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

const place = {
  id: storableText(384),
  modelId,
  providerSlug: slug,
  upstreamModelId: storableText(256),
  region: z.enum(['global', 'europe', 'us']).default('global'),
  priority: z.int().min(-1_000).max(1_000).default(0),
};

const image: z.ZodType<ImageCapabilities> = z.strictObject({
  aspectRatios: someOf(
    z.string().regex(/^(auto|[\d.]+:[\d.]+)$/, 'must be auto, or WIDTH:HEIGHT such as 16:9'),
  ),
  resolutions: someOf(z.enum(['512', '768', '1K', '1.5K', '2K', '4K'])),
  sizes: orNull(z.union([z.literal('any'), z.array(pixels).min(1)])),
  sizeLimits: z
    .strictObject({
      multipleOf: z.int().min(1),
      maxSide: z.int().min(1),
      minPixels: z.int().min(1),
      maxPixels: z.int().min(1),
      maxRatio: z.number().min(1),
    })
    .exactOptional(),
  outputFormats: z.array(z.enum(['png', 'jpeg', 'webp', 'svg'])).min(1),
  backgrounds: someOf(z.enum(['auto', 'transparent', 'opaque'])),
  qualities: someOf(z.enum(['auto', 'low', 'medium', 'high', 'xhigh', 'max'])),
  maxImages: z.int().min(1).max(10).default(1),
  maxReferences: z.int().min(0).max(16).default(0),
  compression: z.boolean().default(false),
  seed: z.boolean().default(false),
  streaming: z.boolean().default(false),
  passthroughParameters: z.array(z.string()).default([]),
});

const speech: z.ZodType<SpeechCapabilities> = z
  .strictObject({
    voices: someOf(z.string().min(1)),
    voiceAliases: z.record(storableText(256), storableText(256)).exactOptional(),
    formats: z.array(z.enum(['mp3', 'pcm'])).min(1),
    turns: z.boolean().default(false),
    instructions: z.boolean().default(false),
    speed: orNull(z.strictObject({ min: z.number().positive(), max: z.number().positive() })),
    references: z.array(z.enum(['audio', 'image'])).default([]),
    tokensPerSecond: z.number().positive().max(10_000).exactOptional(),
  })
  .refine(
    ({ voices, voiceAliases = {} }) =>
      voices === null || Object.values(voiceAliases).every((voice) => voices.includes(voice)),
    { path: ['voiceAliases'], error: 'must lead to voices of the endpoint' },
  );

/** The schema of a live endpoint. Without a data policy, an endpoint counts as collecting data. */
const liveEndpoint = z
  .strictObject({
    ...place,
    capability: z.enum(LIVE_CAPABILITIES),
    pricing: tokenPricing,
    contextLength: orNull(tokens),
    maxCompletionTokens: orNull(tokens),
    maxPromptTokens: tokens.exactOptional(),
    tokensPerImage: tokens.exactOptional(),
    quantization: orNull(z.enum(QUANTIZATIONS)),
    supportedParameters: z.array(storableText(64)).max(200).default([]),
    collectsData: z.boolean().default(true),
    zdr: z.boolean().default(false),
    distillable: z.boolean().default(false),
    isModerated: z.boolean().exactOptional(),
    cachesImplicitly: z.boolean().exactOptional(),
    deviations: z.array(z.enum(DEVIATIONS)).max(DEVIATIONS.length).exactOptional(),
    units: liveUnits.exactOptional(),
    image: image.exactOptional(),
    speech: speech.exactOptional(),
    timeouts: z
      .strictObject({
        firstByteMs: milliseconds.exactOptional(),
        idleMs: milliseconds.exactOptional(),
        attemptMs: milliseconds.exactOptional(),
      })
      .default({}),
  })
  .refine(({ zdr, collectsData }) => !(zdr && collectsData), 'zero data retention collects no data')
  .refine(
    (e) => (e.units === undefined) === (e.pricing.billableUnit === undefined),
    'an endpoint has `units` if, and only if, it has a price `billableUnit`',
  )
  .refine(
    (e) => (e.capability === 'image') === (e.image !== undefined),
    'an endpoint that makes pictures has `image`',
  )
  .refine(
    (e) => (e.capability === 'speech') === (e.speech !== undefined),
    'an endpoint that speaks has `speech`',
  );

/** The most rows of each kind: ten times the models of the largest existing catalogs. */
const MAX_ROWS = 10_000;

const catalogFile: z.ZodType<CatalogFile> = z.strictObject({
  sources: z.array(source).max(16).exactOptional(),
  providers: z.array(fileProvider).max(MAX_ROWS),
  models: z.array(fileModel).max(MAX_ROWS),
  endpoints: z
    .array(
      z
        .strictObject({
          ...place,
          pricingSkus: z.record(z.string(), decimal),
          meters: videoMeters.exactOptional(),
          capabilities,
          maxRunSeconds: z.int().min(1).max(604_800).default(3600),
        })
        .superRefine(checkMeters),
    )
    .max(MAX_ROWS),
  liveEndpoints: z.array(liveEndpoint).max(MAX_ROWS).default([]),
});

/** Parses a catalog file. Throws a ZodError that names every problem; `describe` supplies missing messages. */
export function parseCatalogFile(json: unknown, describe?: z.core.$ZodErrorMap): CatalogFile {
  return catalogFile.parse(json, describe === undefined ? {} : { error: describe });
}

/** Returns the catalogs that are bundled with the adapters of this version. */
export function bundledCatalogs(): CatalogFile[] {
  return [
    anthropicCatalog,
    azureCatalog,
    bedrockCatalog,
    cohereCatalog,
    falCatalog,
    googleCatalog,
    jinaCatalog,
    localCatalog,
    openAiCatalog,
    openAiCompatibleCatalog,
    replicateCatalog,
  ].map((json) => parseCatalogFile(json));
}
