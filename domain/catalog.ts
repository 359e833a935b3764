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
  /** Decimal dollars by SKU; see `domain/video-price.ts`. */
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

/** What a text endpoint can be asked for. */
export type TextCapability = 'chat' | 'embeddings';

/** Decimal dollars per token, or per request; the names of the public catalog. What is absent costs nothing. */
export interface TokenPricing {
  prompt: string;
  completion: string;
  request?: string;
  /** Per image in the prompt. */
  image?: string;
  /** Of tokens of the prompt that are sound, and of the completion's; the other text's price where absent. */
  audio?: string;
  audioOutput?: string;
  /** Per token of a picture that was made; the completion's price where absent. */
  imageOutput?: string;
  inputCacheRead?: string;
  inputCacheWrite?: string;
  internalReasoning?: string;
}

export interface TextEndpoint {
  id: string;
  modelId: string;
  providerSlug: string;
  capability: TextCapability;
  upstreamModelId: string;
  region: Region;
  pricing: TokenPricing;
  contextLength: number | null;
  maxCompletionTokens: number | null;
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
  /** Overrides of the defaults (design: §6). */
  timeouts: { firstByteMs?: number; idleMs?: number; attemptMs?: number };
  priority: number;
}

export interface TextModel {
  id: string;
  canonicalSlug: string;
  name: string;
  description: string | null;
  createdAt: Date;
  inputModalities: string[];
  outputModalities: string[];
  contextLength: number | null;
  /** Routable ones only, in the order of their priority; never empty. */
  endpoints: TextEndpoint[];
}
