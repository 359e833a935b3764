/** Defines the models and endpoints of the catalog: their capabilities, limits and prices. */
import type { Deviation } from './deviations.ts';
import type { LiveUnits } from './live-units.ts';
import type { ModelReasoning } from './model-facts.ts';
import type { Sunset } from './sunset.ts';
import type { TokenPricing } from './token-pricing.ts';
import type { VideoMeters } from './video-meters.ts';

/** The regions in which an endpoint may process data. */
export const REGIONS = ['global', 'europe', 'us'] as const;
export type Region = (typeof REGIONS)[number];

/** The parameters that an endpoint accepts. `null`: the endpoint does not accept the parameter. */
export interface VideoCapabilities {
  resolutions: string[] | null;
  aspectRatios: string[] | null;
  /** Whole seconds. The first entry is the default, as for resolutions and aspect ratios. */
  durations: number[] | null;
  /** Exact sizes beyond those that resolutions and aspect ratios make, as `WIDTHxHEIGHT`. */
  sizes: string[] | null;
  frameImages: FrameType[] | null;
  /** The kinds of references that the endpoint supports. Unsupported audio and video references are ignored. */
  inputReferences: ReferenceKind[] | null;
  generateAudio: boolean | null;
  seed: boolean | null;
  creativity: number[] | null;
  upscaleFactor: { min?: number; max?: number } | null;
  passthroughParameters: string[];
  /** Accepts `previous_job_id`. */
  continuation: boolean;
  /** True: a continuation may have another duration than the job that it continues. */
  continuationDuration: boolean;
  /** True: the endpoint can work from images alone. */
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
  /** Decimal dollars by SKU; see `domain/videos/video-sku.ts`. */
  pricingSkus: Record<string, string>;
  /** The version of these prices; absent while they are not stored. */
  priceVersion?: number | undefined;
  /** The units that only the vendor can count. Absent: the price is known when a job is accepted. */
  meters?: VideoMeters | undefined;
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
  /** Absent if the model has no expiration date. */
  sunset?: Sunset | undefined;
  /** Routable endpoints only, best first; never empty. */
  endpoints: VideoEndpoint[];
}

/** The capabilities that respond while the caller waits. Videos are jobs instead. */
export const LIVE_CAPABILITIES = ['chat', 'embeddings', 'rerank', 'image', 'speech'] as const;
export type LiveCapability = (typeof LIVE_CAPABILITIES)[number];

/** The formats in which providers store weights; `unknown` if the provider does not say. */
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

/** The parameters that an image endpoint accepts. `null`: the endpoint does not accept the parameter. */
export interface ImageCapabilities {
  /** The ratios that the endpoint makes. A request for another ratio gets the nearest. The first is the default. */
  aspectRatios: string[] | null;
  resolutions: string[] | null;
  /** Exact sizes as `WIDTHxHEIGHT`. `any`: all sizes within the limits. Null: the endpoint takes names only. */
  sizes: string[] | 'any' | null;
  /** The limits for `any` size and for the pixels of names; absent if unknown. */
  sizeLimits?: ImageSizeLimits;
  outputFormats: string[];
  backgrounds: string[] | null;
  qualities: string[] | null;
  maxImages: number;
  maxReferences: number;
  compression: boolean;
  seed: boolean;
  /** True: the endpoint streams partial pictures. */
  streaming: boolean;
  passthroughParameters: string[];
}

/** The limits of a picture's size, in pixels. */
export interface ImageSizeLimits {
  /** Both sides are multiples of this number. */
  multipleOf: number;
  maxSide: number;
  minPixels: number;
  maxPixels: number;
  /** The longer side divided by the shorter. */
  maxRatio: number;
}

/** The parameters that a speech endpoint takes. */
export interface SpeechCapabilities {
  /** Null: any voice is accepted. The first is used if the request names none. */
  voices: string[] | null;
  /** Other names of voices, such as those of OpenAI, each with the endpoint's voice. */
  voiceAliases?: Record<string, string>;
  formats: string[];
  /** True: the input may have several turns. */
  turns: boolean;
  instructions: boolean;
  /** Null: the endpoint has one speed only. */
  speed: { min: number; max: number } | null;
  /** The kinds of references from which the endpoint can make a voice. */
  references: ('audio' | 'image')[];
  /** The tokens of a second of sound, as the provider documents them. Absent: sound has no tokens. */
  tokensPerSecond?: number | undefined;
}

export interface LiveEndpoint {
  id: string;
  modelId: string;
  providerSlug: string;
  capability: LiveCapability;
  upstreamModelId: string;
  region: Region;
  pricing: TokenPricing;
  /** The version of these prices; absent while they are not stored. */
  priceVersion?: number | undefined;
  contextLength: number | null;
  maxCompletionTokens: number | null;
  /** Set if the limit is lower than the rest of the context. */
  maxPromptTokens?: number | undefined;
  /** The most tokens that a picture in the prompt counts as; 2,000 are reserved if absent. */
  tokensPerImage?: number | undefined;
  /** A precision such as `fp8`; null if the provider does not say. */
  quantization: string | null;
  /** Request fields that the endpoint supports, such as `tools` or `temperature`. */
  supportedParameters: string[];
  /** True: the provider may keep prompts or train on them. */
  collectsData: boolean;
  /** True: zero data retention. */
  zdr: boolean;
  /** True: generated text may be used to train other models. */
  distillable: boolean;
  /** True: the provider itself refuses some contents. */
  isModerated?: boolean | undefined;
  /** True: the provider caches prompts even if the request does not ask for it. */
  cachesImplicitly?: boolean | undefined;
  /** The ways in which the server differs from what the gateway expects of its wire. Absent: none. */
  deviations?: Deviation[] | undefined;
  /** Overrides of the default timeouts. */
  timeouts: { firstByteMs?: number; idleMs?: number; attemptMs?: number };
  /** The units of an endpoint with a price for units that its provider reports. */
  units?: LiveUnits | undefined;
  /** Set for endpoints that make pictures or speech. */
  image?: ImageCapabilities | undefined;
  speech?: SpeechCapabilities | undefined;
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
  /** Absent or null if unknown. */
  reasoning?: ModelReasoning | null;
  /** Absent if the model has no expiration date. */
  sunset?: Sunset | undefined;
  /** Routable endpoints only, in the order of their priority; never empty. */
  endpoints: LiveEndpoint[];
}
