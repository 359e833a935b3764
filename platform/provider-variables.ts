/** Reads the variables `PROVIDER_<SLUG>_…`, which hold the credentials and addresses of providers. */
import { baseUrl, type Rule, vendorKey, webhookSecret } from './config-rules.ts';
import { type ConfigProblem, messageOf, problemOf } from './config-variable.ts';

export interface ProviderConfig {
  apiKey?: string;
  /** A URL without a final slash; absent: the vendor's own. */
  baseUrl?: string;
  /** The secret of the vendor's callbacks, in the form of Standard Webhooks. */
  webhookSecret?: string;
}

/** The kinds of variables. Errors never repeat a value, because also an address may contain a password. */
const KINDS: Record<string, { field: keyof ProviderConfig; rule: Rule<string>; example: string }> = {
  API_KEY: { field: 'apiKey', rule: vendorKey, example: 'sk-proj-abc123' },
  BASE_URL: { field: 'baseUrl', rule: baseUrl, example: 'https://api.example.com/v1' },
  WEBHOOK_SECRET: {
    field: 'webhookSecret',
    rule: webhookSecret,
    example: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz',
  },
};

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
    const [, slug = '', kind = ''] = PROVIDER_VARIABLE.exec(name) ?? [];
    const known = KINDS[kind];
    if (known === undefined) {
      unknown.push(name);
      continue;
    }
    const { data, error } = known.rule.safeParse(text.trim());
    if (error === undefined) providers.set(slug, { ...providers.get(slug), [known.field]: data });
    else problems.push(problemOf({ name, ...known }, messageOf(error)));
  }
  return { providers, problems, unknown };
}

/** Returns the part of a variable's name for a slug: `openai-compatible` → `OPENAI_COMPATIBLE`. */
export function providerVariableName(slug: string): string {
  return slug.toUpperCase().replaceAll('-', '_');
}
