/**
 * Lists the models of Jina and Voyage. Their sources have no days of release, so `created` is the day on which a model
 * came into this catalog.
 */
import type { Vendor, VendorEndpoint, VendorModel } from '../vendor.ts';

interface Model {
  /** The vendor's name of it. */
  name: string;
  title: string;
  description: string;
  capability: 'rerank' | 'embeddings';
  contextLength: number;
  reads?: 'image'[];
}

const ADDED = '2026-11-28';

const JINA_MODELS: Model[] = [
  {
    name: 'jina-reranker-v3.5',
    title: 'Jina: Reranker v3.5',
    description: 'Sorts documents by how well they answer a query, with a context of 131,072 tokens.',
    capability: 'rerank',
    contextLength: 131_072,
  },
  {
    name: 'jina-reranker-m0',
    title: 'Jina: Reranker m0',
    description: 'Sorts texts and pictures by how well they answer a query.',
    capability: 'rerank',
    contextLength: 10_240,
    reads: ['image'],
  },
];

const VOYAGE_MODELS: Model[] = [
  {
    name: 'rerank-3',
    title: 'Voyage: Rerank 3',
    description: 'Sorts documents by how well they answer a query.',
    capability: 'rerank',
    contextLength: 32_000,
  },
  {
    name: 'rerank-3-lite',
    title: 'Voyage: Rerank 3 Lite',
    description: 'The cheaper Rerank 3.',
    capability: 'rerank',
    contextLength: 32_000,
  },
  {
    name: 'voyage-4-large',
    title: 'Voyage 4 Large',
    description: 'The most capable embeddings of the Voyage 4 family.',
    capability: 'embeddings',
    contextLength: 32_000,
  },
  {
    name: 'voyage-4',
    title: 'Voyage 4',
    description: 'Embeddings for general use.',
    capability: 'embeddings',
    contextLength: 32_000,
  },
  {
    name: 'voyage-4-lite',
    title: 'Voyage 4 Lite',
    description: 'The cheapest embeddings of the Voyage 4 family.',
    capability: 'embeddings',
    contextLength: 32_000,
  },
  {
    name: 'voyage-code-4',
    title: 'Voyage Code 4',
    description: 'Embeddings for searching code.',
    capability: 'embeddings',
    contextLength: 32_000,
  },
];

const toModel =
  (author: string) =>
  ({ name, title, description, capability, contextLength, reads = [] }: Model): VendorModel => ({
    id: `${author}/${name}`,
    canonicalSlug: `${author}/${name}`,
    name: title,
    description,
    inputModalities: ['text', ...reads],
    outputModalities: [capability],
    contextLength,
    createdAt: ADDED,
  });

const toEndpoint =
  (author: string) =>
  ({ name, capability, contextLength }: Model): VendorEndpoint => ({
    modelId: `${author}/${name}`,
    capability,
    upstreamModelId: name,
    contextLength,
    supportedParameters: [],
  });

export const JINA: Vendor = {
  name: 'jina',
  provider: { slug: 'jina', name: 'Jina AI', adapter: 'jina', baseUrl: 'https://api.jina.ai/v1' },
  models: JINA_MODELS.map(toModel('jina')),
  endpoints: JINA_MODELS.map(toEndpoint('jina')),
};

export const VOYAGE: Vendor = {
  name: 'voyage',
  provider: { slug: 'voyage', name: 'Voyage AI', adapter: 'voyage', baseUrl: 'https://api.voyageai.com/v1' },
  models: VOYAGE_MODELS.map(toModel('voyage')),
  endpoints: VOYAGE_MODELS.map(toEndpoint('voyage')),
};
