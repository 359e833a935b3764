/** Lists the vendors that need no adapter of their own, with the models that each serves. */
import { COMPATIBLE_VENDORS } from '../../../providers/openai-compatible/vendors.ts';
import type { Vendor } from '../vendor.ts';
import { endpointsAt, modelsFirstAt } from './compatible-models.ts';

/** The provider for an operator's own server, whose address and models the operator states. */
const OWN_SERVER: Vendor = {
  name: 'openai-compatible',
  provider: { slug: 'openai-compatible', name: 'OpenAI-compatible server', adapter: 'openai-compatible' },
  models: [],
  endpoints: [],
};

export const COMPATIBLE: Vendor[] = [
  OWN_SERVER,
  ...COMPATIBLE_VENDORS.map(({ slug, name, baseUrl = null, ownServer }): Vendor => ({
    name: slug,
    provider: { slug, name, adapter: ownServer ? 'compatible-server' : 'compatible-vendor', baseUrl },
    models: modelsFirstAt(slug),
    endpoints: endpointsAt(slug).map((endpoint) => ({ ...endpoint, capability: 'chat' })),
  })),
];
