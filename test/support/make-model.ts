import type { ModelRow, ProviderRow } from '../../db/catalog/catalog-store.ts';

/** A model of which nothing but its name is known, with the change. */
export function makeModel(change: Partial<ModelRow> & Pick<ModelRow, 'id'>): ModelRow {
  return {
    canonicalSlug: change.id,
    name: change.id,
    description: null,
    huggingFaceId: null,
    inputModalities: ['text'],
    outputModalities: ['text'],
    contextLength: null,
    tokenizer: null,
    instructType: null,
    knowledgeCutoff: null,
    expirationDate: null,
    aliases: [],
    categories: [],
    defaultParameters: null,
    reasoning: null,
    benchmarks: null,
    createdAt: new Date(0),
    ...change,
  };
}

/** A provider with the adapter of its name, with the change. */
export function makeProvider(change: Partial<ProviderRow> & Pick<ProviderRow, 'slug'>): ProviderRow {
  return {
    name: change.slug,
    adapter: change.slug,
    baseUrl: null,
    privacyPolicyUrl: null,
    termsOfServiceUrl: null,
    statusPageUrl: null,
    headquarters: null,
    datacenters: null,
    ...change,
  };
}
