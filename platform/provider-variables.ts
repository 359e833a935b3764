/** Reads the variables `PROVIDER_<SLUG>_…`, which hold the credentials and addresses of providers. */
import { baseUrl, headerText, type Rule, webhookSecret } from './config-rules.ts';
import type { ConfigProblem } from './config-variable.ts';

export interface ProviderConfig {
  apiKey?: string;
  /** A URL without a final slash; absent: the vendor's own. */
  baseUrl?: string;
  /** The secret of the vendor's callbacks, in the form of Standard Webhooks. */
  webhookSecret?: string;
}

interface Kind {
  field: keyof ProviderConfig;
  rule: Rule<string>;
  example: string;
}

const KINDS = {
  API_KEY: { field: 'apiKey', rule: headerText, example: 'sk-proj-abc123' },
  BASE_URL: { field: 'baseUrl', rule: baseUrl, example: 'https://api.example.com/v1' },
  WEBHOOK_SECRET: {
    field: 'webhookSecret',
    rule: webhookSecret,
    example: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz',
  },
} satisfies Record<string, Kind>;

const PROVIDER_VARIABLE = /^PROVIDER_([A-Z0-9_]+)_(API_KEY|BASE_URL|WEBHOOK_SECRET)$/;

/**
 * Reads `PROVIDER_<SLUG>_API_KEY`, `…_BASE_URL` and `…_WEBHOOK_SECRET`; <SLUG> is the provider's slug in upper case,
 * with `_` for `-`. Other names that begin with PROVIDER_ are returned as unknown. Most of those are misspelled, but a
 * container platform may have set them, so they do not prevent the start.
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
    if (slug === undefined || !isKind(kind)) {
      unknown.push(name);
      continue;
    }
    const { field, rule, example } = KINDS[kind];
    try {
      providers.set(slug, { ...providers.get(slug), [field]: rule(text.trim()) });
    } catch (error) {
      const message = error instanceof Error ? error.message : 'cannot be read';
      problems.push({ variable: name, message, example: `${name}=${example}` });
    }
  }
  return { providers, problems, unknown };
}

function isKind(kind: string | undefined): kind is keyof typeof KINDS {
  return kind !== undefined && Object.hasOwn(KINDS, kind);
}

/** Returns the part of a variable's name for a slug: `openai-compatible` → `OPENAI_COMPATIBLE`. */
export function providerVariableName(slug: string): string {
  return slug.toUpperCase().replaceAll('-', '_');
}
