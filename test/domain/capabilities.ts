import type { ImageCapabilities, VideoCapabilities } from '../../domain/catalog/catalog.ts';

/** An endpoint that takes nothing but a prompt, with what a test adds. */
export function capabilities(able: Partial<VideoCapabilities> = {}): VideoCapabilities {
  return {
    resolutions: null,
    aspectRatios: null,
    durations: null,
    sizes: null,
    frameImages: null,
    inputReferences: null,
    generateAudio: null,
    seed: null,
    creativity: null,
    upscaleFactor: null,
    passthroughParameters: [],
    continuation: false,
    continuationDuration: false,
    promptOptional: false,
    ...able,
  };
}

/** The same of an endpoint that makes pictures. */
export function imageCapabilities(able: Partial<ImageCapabilities> = {}): ImageCapabilities {
  return {
    aspectRatios: null,
    resolutions: null,
    sizes: null,
    outputFormats: ['png'],
    backgrounds: null,
    qualities: null,
    maxImages: 1,
    maxReferences: 0,
    compression: false,
    seed: false,
    streaming: false,
    passthroughParameters: [],
    ...able,
  };
}
