/** Lists the models that generate images, and their endpoints. */
import type {
  ImageEndpointRecord,
  imageModelOperations,
  ImageModelRecord,
  ImageParameters,
} from '../../contract/catalog/image-models.ts';
import type { ImageCapabilities, LiveEndpoint, LiveModel } from '../../domain/catalog/catalog.ts';
import type { UnitRates } from '../../domain/catalog/live-units.ts';
import type { TokenPrices, TokenPricing } from '../../domain/catalog/token-pricing.ts';
import { imagePixels } from '../../domain/live/image-pixels.ts';
import type { ImagesService } from '../../services/live/images/images-service.ts';
import { API_BASE } from '../http/base-path.ts';
import { presentConditions } from './present-pricing.ts';
import type { RoutesOf } from '../http/route.ts';

export const imageModelRoutes: RoutesOf<typeof imageModelOperations, { images: ImagesService }> = {
  /** Handles `GET /images/models`: lists the models that generate images. */
  listImageModels: async (_call, { services, settings }) => {
    const data = services.images.models().map((model) => {
      const path = model.id.split('/').map(encodeURIComponent).join('/');
      const url = `${settings.publicUrl}${API_BASE}/images/models/${path}/endpoints`;
      return presentImageModel(model, url);
    });
    return { status: 200, body: { data } };
  },

  /**
   * Handles `GET /images/models/{author}/{slug}/endpoints`: lists the endpoints of an image model, with their
   * parameters and prices.
   */
  listImageModelEndpoints: async ({ params: { author, slug } }, { services: { images } }) => {
    const model = images.model(`${author}/${slug}`);
    const endpoints = model.endpoints.map((endpoint) =>
      presentImageEndpoint(endpoint, images.providerName(endpoint.providerSlug)),
    );
    return { status: 200, body: { id: model.id, endpoints } };
  },
};

/** Presents an image model. `endpointsUrl` is the URL of its endpoints' parameters and prices. */
function presentImageModel(model: LiveModel, endpointsUrl: string): ImageModelRecord {
  const able = model.endpoints.map(capabilitiesOf);
  return {
    id: model.id,
    name: model.name,
    description: model.description ?? '',
    created: Math.floor(model.createdAt.getTime() / 1_000),
    architecture: { input_modalities: model.inputModalities, output_modalities: model.outputModalities },
    endpoints: endpointsUrl,
    supported_parameters: able.map(presentParameters).reduce(union),
    size_rule: able.map(sizeRuleOf).reduce(eitherSizeRule),
    supports_streaming: able.some(({ streaming }) => streaming),
  };
}

function presentImageEndpoint(endpoint: LiveEndpoint, providerName: string): ImageEndpointRecord {
  const able = capabilitiesOf(endpoint);
  return {
    provider_name: providerName,
    provider_slug: endpoint.providerSlug,
    provider_tag: endpoint.region === 'global' ? null : endpoint.region,
    supports_streaming: able.streaming,
    supported_parameters: presentParameters(able),
    size_rule: sizeRuleOf(able),
    allowed_passthrough_parameters: able.passthroughParameters,
    ...presentPricing(endpoint),
  };
}

function capabilitiesOf({ id, image }: LiveEndpoint): ImageCapabilities {
  if (image === undefined) throw new TypeError(`endpoint ${id} makes no pictures`);
  return image;
}

/** Presents the parameters that the endpoint takes. An endpoint that takes any size has no list of sizes. */
function presentParameters(able: ImageCapabilities): ImageParameters {
  const parameters: ImageParameters = {};
  const list = (name: string, values: readonly string[] | null): void => {
    if (values !== null) parameters[name] = { type: 'enum', values: [...values] };
  };
  list('aspect_ratio', able.aspectRatios);
  list('resolution', able.resolutions);
  list('size', imagePixels(able).sizes);
  list('output_format', able.outputFormats);
  list('background', able.backgrounds);
  list('quality', able.qualities);
  parameters['n'] = { type: 'range', min: 1, max: able.maxImages };
  if (able.maxReferences > 0) {
    parameters['input_references'] = { type: 'range', min: 0, max: able.maxReferences };
  }
  if (able.compression) parameters['output_compression'] = { type: 'range', min: 0, max: 100 };
  if (able.seed) parameters['seed'] = { type: 'boolean' };
  return parameters;
}

function sizeRuleOf(able: ImageCapabilities): string | null {
  return imagePixels(able).sizeDescription;
}

/** Returns the parameters that either endpoint takes. */
function union(a: ImageParameters, b: ImageParameters): ImageParameters {
  const all: ImageParameters = { ...a };
  for (const [name, other] of Object.entries(b)) {
    const own = all[name];
    if (own?.type === 'enum' && other.type === 'enum') {
      all[name] = { type: 'enum', values: [...new Set([...own.values, ...other.values])] };
    } else if (own?.type === 'range' && other.type === 'range') {
      const [min, max] = [Math.min(own.min, other.min), Math.max(own.max, other.max)];
      all[name] = { type: 'range', min, max };
    } else all[name] = own ?? other;
  }
  return all;
}

type Price = ImageEndpointRecord['pricing'][number];

/**
 * Presents prices, without those of zero, and the prices under conditions. Prices by size and quality have a `variant`.
 * Units of the vendor are presented by the number that it documents for a picture.
 */
function presentPricing({
  pricing,
  units,
}: LiveEndpoint): Pick<ImageEndpointRecord, 'pricing' | 'overrides'> {
  const entries = [pricing, ...(pricing.overrides ?? [])];
  const hasPrice = (name: keyof TokenPrices) => entries.some((entry) => entry[name] !== undefined);
  const [hasInput, hasOutput] = [hasPrice('imageInput'), hasPrice('imageOutput')];
  const listOf = (prices: Partial<TokenPricing>) =>
    presentPrices(units?.usual ?? units?.most, {
      ...prices,
      // Tokens of pictures cost as much as those of text if they have no price of their own.
      ...(hasInput ? {} : { imageInput: prices.prompt }),
      ...(hasOutput ? {} : { imageOutput: prices.completion }),
    });
  return {
    pricing: listOf({ imageInput: pricing.prompt, imageOutput: pricing.completion, ...pricing }).filter(
      ({ cost_usd: cost }) => cost > 0,
    ),
    overrides: pricing.overrides?.map((entry) => ({ ...presentConditions(entry), pricing: listOf(entry) })),
  };
}

function presentPrices(usual: UnitRates | undefined, pricing: Partial<TokenPricing>): Price[] {
  const ofUnits = (name: keyof UnitRates): string | undefined =>
    usual?.[name] && pricing.billableUnit && `${Number(pricing.billableUnit) * Number(usual[name])}`;
  const { prompt, request, image, imageInput, imageOutput } = pricing;
  const prices: [string | undefined, Price['billable'], Price['unit']][] = [
    [pricing.outputImage, 'output_image', 'image'],
    [pricing.outputMegapixel, 'output_image', 'megapixel'],
    [imageOutput, 'output_image', 'token'],
    [request, 'output_image', 'request'],
    [prompt, 'input_text', 'token'],
    [imageInput, 'input_image', 'token'],
    [image, 'input_image', 'image'],
    [pricing.inputReference, 'input_reference', 'image'],
    [ofUnits('per_image'), 'output_image', 'image'],
    [ofUnits('per_megapixel'), 'output_image', 'megapixel'],
    [ofUnits('per_request'), 'output_image', 'request'],
  ];
  const variants = Object.entries(pricing.outputImages ?? {}).map(([variant, decimal]): Price => ({
    billable: 'output_image',
    cost_usd: Number(decimal),
    unit: 'image',
    variant,
  }));
  return [
    ...prices.flatMap(([decimal, billable, unit]) =>
      decimal === undefined ? [] : [{ billable, cost_usd: Number(decimal), unit }],
    ),
    ...variants,
  ];
}

/** Joins the size rules of two endpoints, without repetition. Null means that an endpoint takes no size in pixels. */
export function eitherSizeRule(a: string | null, b: string | null): string | null {
  if (a === null || b === null || a === b) return a ?? b;
  return a.split('; or ').includes(b) ? a : `${a}; or ${b}`;
}
