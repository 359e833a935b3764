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
