import type { ModelReasoning } from './model-facts.ts';

/** Models and the endpoints that serve them, as routing and the lists read them. */
export type Region = 'global' | 'europe' | 'us';

/** What an endpoint accepts. `null` means that the endpoint does not take the parameter at all. */
export interface VideoCapabilities {
  resolutions: string[] | null;
  aspectRatios: string[] | null;
  /** Whole seconds. The first entry is the default, as for resolutions and aspect ratios. */
  durations: number[] | null;
  /** Exact sizes beyond those that resolutions and aspect ratios make, as `WIDTHxHEIGHT`. */
  sizes: string[] | null;
  frameImages: FrameType[] | null;
  /** Reference kinds that must be honored; audio and video references to others are ignored (spec). */
  inputReferences: ReferenceKind[] | null;
  generateAudio: boolean | null;
  seed: boolean | null;
  creativity: number[] | null;
  upscaleFactor: { min?: number; max?: number } | null;
  passthroughParameters: string[];
  /** Accepts `previous_job_id`. */
  continuation: boolean;
  /** A continuation may last longer or shorter than the job it continues. */
  continuationDuration: boolean;
  /** Can work from images alone. */
  promptOptional: boolean;
}

export type FrameType = 'first_frame' | 'last_frame';
export type ReferenceKind = 'image' | 'audio' | 'video';

export interface VideoEndpoint {
  id: string;
  modelId: string;
  providerSlug: string;
  upstreamModelId: string;
  region: Region;
  /** Decimal dollars by SKU; see `domain/videos/video-price.ts`. */
  pricingSkus: Record<string, string>;
  capabilities: VideoCapabilities;
  maxRunSeconds: number;
  priority: number;
}

export interface VideoModel {
  id: string;
  canonicalSlug: string;
  name: string;
  description: string | null;
  huggingFaceId: string | null;
  createdAt: Date;
  /** Routable ones only, best first; never empty. */
  endpoints: VideoEndpoint[];
}

/** What is answered while the caller waits, unlike video. */
export const LIVE_CAPABILITIES = ['chat', 'embeddings', 'rerank', 'image', 'speech'] as const;
export type LiveCapability = (typeof LIVE_CAPABILITIES)[number];

/** How a provider stores the weights; `unknown` is what it does not say. */
export const QUANTIZATIONS = [
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
  'unknown',
] as const;

/** What a model that makes pictures takes; `null`: it does not take the parameter at all. */
export interface ImageCapabilities {
  /** The nearest is taken when another is named; the first is the default. */
  aspectRatios: string[] | null;
  resolutions: string[] | null;
  /** Exact sizes as `WIDTHxHEIGHT`; `any`: what fits the limits; null: the endpoint knows names only. */
  sizes: string[] | 'any' | null;
  /** The limits of `any` size, and of the pixels that names make; absent: nobody knows them. */
  sizeLimits?: ImageSizeLimits;
  outputFormats: string[];
  backgrounds: string[] | null;
  qualities: string[] | null;
  maxImages: number;
  maxReferences: number;
  compression: boolean;
  seed: boolean;
  /** Partial pictures as they come. */
  streaming: boolean;
  passthroughParameters: string[];
}

/** In pixels. */
export interface ImageSizeLimits {
  /** Of both sides. */
  multipleOf: number;
  maxSide: number;
  minPixels: number;
  maxPixels: number;
  /** The longer side over the shorter. */
  maxRatio: number;
}

/** What a model that speaks takes. */
export interface SpeechCapabilities {
  /** Null: any that the caller names. The first is taken when none is named. */
  voices: string[] | null;
  /** Other names of voices, such as those of OpenAI, each with the voice that it means here. */
  voiceAliases?: Record<string, string>;
  formats: string[];
  /** An input of several turns. */
  turns: boolean;
  instructions: boolean;
  /** Null: the endpoint knows one speed only. */
  speed: { min: number; max: number } | null;
  /** What it can imitate. */
  references: ('audio' | 'image')[];
}

/** Decimal dollars per token, or per request; the names of the public catalog. What is absent costs nothing. */
export interface TokenPricing {
  prompt: string;
  completion: string;
  request?: string;
  /** Per image in the prompt. */
  image?: string;
  /** Per token of the prompt that is a picture; the prompt's price where absent. */
  imageInput?: string;
  /** Of tokens of the prompt that are sound, and of the completion's; the other text's price where absent. */
  audio?: string;
  audioOutput?: string;
  /** Per token of a picture that was made; the completion's price where absent. */
  imageOutput?: string;
  /** Per picture that was made, and per megapixel of it. */
  outputImage?: string;
  outputMegapixel?: string;
  /** Per reference picture. */
  inputReference?: string;
  /** Per character that is spoken, and per second of the sound. */
  character?: string;
  outputSecond?: string;
  /** Per unit in which a vendor counts searches. */
  searchUnit?: string;
  inputCacheRead?: string;
  inputCacheWrite?: string;
  /** Of what is written to the cache for an hour; the price of what is written where absent. */
  inputCacheWriteHour?: string;
  internalReasoning?: string;
}

export interface LiveEndpoint {
  id: string;
  modelId: string;
  providerSlug: string;
  capability: LiveCapability;
  upstreamModelId: string;
  region: Region;
  pricing: TokenPricing;
  contextLength: number | null;
  maxCompletionTokens: number | null;
  /** Where it is less than what the context leaves. */
  maxPromptTokens?: number;
  /** The most tokens that a picture in the prompt counts as; 2,000 are held where absent. */
  tokensPerImage?: number;
  /** Such as `fp8`; null when the provider does not say. */
  quantization: string | null;
  /** Request fields that the endpoint heeds, such as `tools` or `temperature`. */
  supportedParameters: string[];
  /** The provider may keep or train on what it is sent. */
  collectsData: boolean;
  /** Zero data retention. */
  zdr: boolean;
  /** Text that it makes may be used to train other models. */
  distillable: boolean;
  /** The provider refuses some contents by itself. */
  isModerated?: boolean;
  /** Prompts are cached without being asked to. */
  cachesImplicitly?: boolean;
  /** Overrides of the defaults (design: §6). */
  timeouts: { firstByteMs?: number; idleMs?: number; attemptMs?: number };
  /** Of endpoints that make pictures or speak. */
  image?: ImageCapabilities;
  speech?: SpeechCapabilities;
  priority: number;
}

export interface LiveModel {
  id: string;
  canonicalSlug: string;
  name: string;
  description: string | null;
  createdAt: Date;
  inputModalities: string[];
  outputModalities: string[];
  contextLength: number | null;
  /** Absent or null where nobody stated it. */
  reasoning?: ModelReasoning | null;
  /** Routable ones only, in the order of their priority; never empty. */
  endpoints: LiveEndpoint[];
}
