/** Tells which providers the stack can call, and which key adds another one. */
import { providerVariableName, readProviderVariables } from '../../platform/provider-variables.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';

export interface StackProviders {
  /** The slugs of the providers that have a credential or an address. The local upstream always has both. */
  configured: string[];
  /** The variables that add vendors with models in the catalog, each by a key alone. */
  missingKeys: string[];
}

export function stackProviders(env: NodeJS.ProcessEnv): StackProviders {
  const given = readProviderVariables(env).providers;
  const isGiven = (slug: string): boolean => slug === 'local' || given.has(providerVariableName(slug));
  const files = bundledCatalogs();
  const bundled = files.flatMap(({ providers }) => providers.map(({ slug }) => slug));
  const names = new Set(bundled.map(providerVariableName));
  const imported = [...given.keys()].filter((name) => !names.has(name)).map((name) => name.toLowerCase());
  const vendors = files
    .filter(({ models }) => models.length > 0)
    .flatMap(({ providers }) => providers.map(({ slug }) => slug))
    // Most people have a key of OpenAI, so its variable is shown first.
    .toSorted((a, b) => Number(b === 'openai') - Number(a === 'openai'));
  return {
    configured: [...bundled.filter(isGiven), ...imported],
    missingKeys: vendors
      .filter((slug) => !isGiven(slug))
      .map((slug) => `PROVIDER_${providerVariableName(slug)}_API_KEY`),
  };
}
