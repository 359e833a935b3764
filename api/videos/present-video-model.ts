import type { VideoModelRecord } from '../../contract/videos/video.ts';
import type { VideoModel } from '../../domain/catalog/catalog.ts';
import { videoPixels } from '../../domain/videos/video-shape.ts';
import { eitherSizeRule } from '../catalog/image-models.ts';

/**
 * Presents a video model. Sizes are those of all endpoints, because a job is sent to an endpoint that makes its size.
 * Everything else is from the best endpoint.
 */
export function presentVideoModel(model: VideoModel): VideoModelRecord {
  const best = model.endpoints[0];
  if (best === undefined) throw new TypeError(`model ${model.id} has no endpoint`);
  const { capabilities, pricingSkus } = best;
  const pixels = model.endpoints.map((endpoint) => videoPixels(endpoint.capabilities));
  const sizes = new Set(pixels.flatMap((rule) => rule.sizes ?? []));
  return {
    id: model.id,
    canonical_slug: model.canonicalSlug,
    name: model.name,
    created: Math.floor(model.createdAt.getTime() / 1000),
    ...(model.description === null ? {} : { description: model.description }),
    hugging_face_id: model.huggingFaceId,
    supported_resolutions: capabilities.resolutions,
    supported_aspect_ratios: capabilities.aspectRatios,
    supported_durations: capabilities.durations,
    supported_sizes: sizes.size === 0 ? null : [...sizes],
    size_rule: pixels.map(({ sizeDescription }) => sizeDescription).reduce(eitherSizeRule),
    supported_frame_images: capabilities.frameImages,
    generate_audio: capabilities.generateAudio,
    seed: capabilities.seed,
    creativity: capabilities.creativity,
    upscale_factor: capabilities.upscaleFactor,
    allowed_passthrough_parameters: capabilities.passthroughParameters,
    pricing_skus: pricingSkus,
  };
}
