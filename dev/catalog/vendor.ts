/** Defines what is written by hand about a vendor's models. Prices and limits come from the price sources. */
import type {
  ImageCapabilities,
  LiveEndpoint,
  SpeechCapabilities,
  VideoEndpoint,
} from '../../domain/catalog/catalog.ts';
import type { CatalogModel } from '../../domain/catalog/model-facts.ts';
import type { FileProvider } from '../../providers/catalog-model-file.ts';

type Facts<T, Required extends keyof T> = Partial<T> & Pick<T, Required>;

/** A model. Absent facts come from the sources, if they have them. */
export interface VendorModel extends Facts<
  Omit<CatalogModel, 'createdAt'>,
  'id' | 'canonicalSlug' | 'name' | 'description' | 'inputModalities' | 'outputModalities'
> {
  /** The day of the release. */
  createdAt: string;
}

export interface VendorEndpoint extends Facts<
  Omit<LiveEndpoint, 'id' | 'providerSlug' | 'pricing' | 'image' | 'speech'>,
  'modelId' | 'capability' | 'upstreamModelId' | 'supportedParameters'
> {
  image?: Partial<ImageCapabilities>;
  speech?: Partial<SpeechCapabilities>;
}

export interface VendorVideoEndpoint extends Facts<
  Omit<VideoEndpoint, 'id' | 'providerSlug' | 'pricingSkus' | 'capabilities'>,
  'modelId' | 'upstreamModelId'
> {
  capabilities: Partial<VideoEndpoint['capabilities']>;
  /** Prices that no price source has, and the vendor's page that lists them. */
  priced: { pricingSkus: Record<string, string>; page: string };
}

/** A vendor with an adapter, its models and its endpoints. */
export interface Vendor {
  /** The vendor's name in the price sources, which is also the folder of its catalog. */
  name: string;
  provider: Facts<FileProvider, 'slug' | 'name' | 'adapter'>;
  models: VendorModel[];
  endpoints: VendorEndpoint[];
  videoEndpoints?: VendorVideoEndpoint[];
}
