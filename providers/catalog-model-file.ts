/** Validates the providers and models of a catalog file. */
import { z } from 'zod';
import { CONTENT_CATEGORIES } from '../domain/catalog/content-class.ts';
import { MODALITIES } from '../domain/modality.ts';
import {
  type CatalogModel,
  type DefaultParameters,
  type ModelBenchmarks,
  type ModelReasoning,
  type ProviderFacts,
  REASONING_EFFORTS,
} from '../domain/catalog/model-facts.ts';

/** Makes a field optional, with null as its default. */

export const orNull = <T extends z.ZodType>(schema: T) => schema.nullable().default(null);

/** Returns the schema of text that the database can store. */
export const storableText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be Unicode text without NUL');

export const modelId = z
  .string()
  .max(256)
  .regex(/^[^/\s\0]+\/[^/\s\0]+$/, 'must be author/name, without spaces');
export const slug = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case words and hyphens');
export const tokens = z.int().min(1).max(2_147_483_647);

const url = z.url({ protocol: /^https?$/ }).max(2_048);
const country = z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 alpha-2 code');
const modalities = z.array(z.enum(MODALITIES)).min(1);
const measure = orNull(z.number());

const reasoning: z.ZodType<ModelReasoning> = z.strictObject({
  mandatory: z.boolean(),
  defaultEnabled: z.boolean().exactOptional(),
  defaultEffort: z.enum(REASONING_EFFORTS).nullable().exactOptional(),
  supportedEfforts: z.array(z.enum(REASONING_EFFORTS)).min(1).max(7).nullable().exactOptional(),
  supportsMaxTokens: z.boolean().exactOptional(),
});

const defaultParameters: z.ZodType<DefaultParameters> = z.strictObject({
  temperature: z.number().min(0).max(2).nullable().exactOptional(),
  topP: z.number().min(0).max(1).nullable().exactOptional(),
  topK: z.int().min(0).nullable().exactOptional(),
  frequencyPenalty: z.number().min(-2).max(2).nullable().exactOptional(),
  presencePenalty: z.number().min(-2).max(2).nullable().exactOptional(),
  repetitionPenalty: z.number().min(0).max(2).nullable().exactOptional(),
});

const benchmarks: z.ZodType<ModelBenchmarks> = z.strictObject({
  intelligenceIndex: measure,
  codingIndex: measure,
  agenticIndex: measure,
  toolSuccessRate: orNull(z.number().min(0).max(1)),
  designArena: z
    .array(
      z.strictObject({
        arena: storableText(64),
        category: storableText(64),
        elo: z.number(),
        rank: z.int().min(1),
        winRate: z.number().min(0).max(100),
      }),
    )
    .max(100)
    .default([]),
});

export interface FileProvider extends ProviderFacts {
  slug: string;
  name: string;
  adapter: string;
  baseUrl: string | null;
}

export const fileProvider: z.ZodType<FileProvider> = z.strictObject({
  slug,
  name: storableText(128),
  adapter: slug,
  baseUrl: orNull(url),
  privacyPolicyUrl: orNull(url),
  termsOfServiceUrl: orNull(url),
  statusPageUrl: orNull(url),
  headquarters: orNull(country),
  datacenters: orNull(z.array(country).min(1).max(250)),
});

export const fileModel: z.ZodType<CatalogModel> = z.strictObject({
  id: modelId,
  canonicalSlug: modelId,
  name: storableText(256),
  description: orNull(storableText(16_384)),
  huggingFaceId: orNull(storableText(256)),
  inputModalities: modalities,
  outputModalities: modalities,
  contextLength: orNull(tokens),
  tokenizer: orNull(storableText(64)),
  instructType: orNull(storableText(64)),
  knowledgeCutoff: orNull(z.iso.date()),
  expirationDate: orNull(z.iso.date()),
  aliases: z.array(modelId).max(32).default([]),
  categories: z.array(z.enum(CONTENT_CATEGORIES)).max(CONTENT_CATEGORIES.length).default([]),
  defaultParameters: orNull(defaultParameters),
  reasoning: orNull(reasoning),
  benchmarks: orNull(benchmarks),
  createdAt: z.iso.datetime().transform((text) => new Date(text)),
});
