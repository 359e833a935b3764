/** Tells which providers the stack can call, and which key adds another one. */
import { providerVariableName, readProviderVariables } from '../../platform/provider-variables.ts';
import { bundledCatalogs, type CatalogFile } from '../../providers/catalog-file.ts';
import type { OwnModels } from './own-models/offer-models.ts';

export interface StackProviders {
  /** The slugs of the providers that have a credential or an address. The local upstream always has both. */
  configured: string[];
  /** A variable that adds a vendor with models in the catalog by a key alone. Absent if all are there. */
  missingKey?: string;
  /** The servers that were found on this machine. */
  ownModels: readonly OwnModels[];
  /** A model for the first chat, of a vendor with a key or of this machine. Absent if there is none. */
  chatModel?: string;
}

export function stackProviders(env: NodeJS.ProcessEnv, ownModels: readonly OwnModels[] = []): StackProviders {
  const given = readProviderVariables(env).providers;
  const withModels = ownModels.filter(({ models }) => models.length > 0);
  const found = new Set(['local', ...withModels.map(({ slug }) => slug)]);
  const isGiven = (slug: string): boolean => found.has(slug) || given.has(providerVariableName(slug));
  const files = bundledCatalogs();
  const bundled = files.flatMap(({ providers }) => providers.map(({ slug }) => slug));
  const names = new Set(bundled.map(providerVariableName));
  const imported = [...given.keys()].filter((name) => !names.has(name)).map((name) => name.toLowerCase());
  const missing = files
    .filter(({ models }) => models.length > 0)
    .flatMap(({ providers }) => providers.map(({ slug }) => slug))
    .filter((slug) => !isGiven(slug));
  // Most people have a key of OpenAI.
  const [first] = missing.includes('openai') ? ['openai'] : missing;
  const hasKey = (slug: string): boolean => given.get(providerVariableName(slug))?.apiKey !== undefined;
  const chatModel = cheapestChat(files, hasKey) ?? withModels.find((one) => one.chatModel)?.chatModel;
  return {
    configured: [...bundled.filter(isGiven), ...imported],
    ownModels,
    ...(chatModel !== undefined && { chatModel }),
    ...(first === undefined ? {} : { missingKey: `PROVIDER_${providerVariableName(first)}_API_KEY` }),
  };
}

/** Returns the cheapest chat model of the first such provider. */
function cheapestChat(files: readonly CatalogFile[], hasKey: (slug: string) => boolean): string | undefined {
  const chats = files
    .flatMap(({ liveEndpoints }) => liveEndpoints)
    .filter(({ capability, providerSlug }) => capability === 'chat' && hasKey(providerSlug));
  const [{ providerSlug } = { providerSlug: '' }] = chats;
  const own = chats.filter((one) => one.providerSlug === providerSlug);
  return own.toSorted((a, b) => Number(a.pricing.prompt) - Number(b.pricing.prompt))[0]?.modelId;
}
