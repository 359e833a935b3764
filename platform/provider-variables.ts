import { baseUrl } from './config-rules.ts';
import type { ConfigProblem } from './config-variable.ts';

export interface ProviderConfig {
  apiKey?: string;
  /** Without a final slash; the vendor's own when absent. */
  baseUrl?: string;
}

const PROVIDER_VARIABLE = /^PROVIDER_([A-Z0-9_]+)_(API_KEY|BASE_URL)$/;

/**
 * `PROVIDER_<SLUG>_API_KEY` and `PROVIDER_<SLUG>_BASE_URL`, by the slug in upper case with `-` as `_`. Other
 * names that begin with PROVIDER_ are returned as unknown: most likely they are misspelled, but a container
 * platform may have put them there, so they do not keep the process from starting.
 */
export function readProviderVariables(env: NodeJS.ProcessEnv): {
  providers: ReadonlyMap<string, ProviderConfig>;
  problems: ConfigProblem[];
  unknown: string[];
} {
  const providers = new Map<string, ProviderConfig>();
  const problems: ConfigProblem[] = [];
  const unknown: string[] = [];
  for (const [name, text = ''] of Object.entries(env)) {
    if (!name.startsWith('PROVIDER_') || text.trim() === '') continue;
    const [, slug, kind] = PROVIDER_VARIABLE.exec(name) ?? [];
    if (slug === undefined) {
      unknown.push(name);
    } else if (kind === 'API_KEY') {
      providers.set(slug, { ...providers.get(slug), apiKey: text.trim() });
    } else {
      try {
        providers.set(slug, { ...providers.get(slug), baseUrl: baseUrl(text.trim()) });
      } catch (error) {
        const message = error instanceof Error ? error.message : 'cannot be read';
        problems.push({ variable: name, message, example: `${name}=https://api.example.com/v1` });
      }
    }
  }
  return { providers, problems, unknown };
}

/** `openai-compatible` → `OPENAI_COMPATIBLE`. */
export function providerVariableName(slug: string): string {
  return slug.toUpperCase().replaceAll('-', '_');
}
