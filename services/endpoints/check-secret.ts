/** Checks the key and the address of a provider credential that a customer brings, without calling the provider. */
import type { ProviderRow } from '../../db/catalog/catalog-store.ts';
import { bringsAddress, mayBringAddress, needsAddress } from '../../domain/endpoints/credential-key.ts';
import type { Issue } from '../../domain/errors.ts';
import { readCredential } from '../../providers/credentials.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { issuesOfUrl } from '../refused-url.ts';
import { issueOfTail } from './check-base-url.ts';
import { originOf } from './origin-of.ts';

/** The longest address that a credential may name, in characters. */
const MAX_URL_LENGTH = 2_048;

export interface CheckSecretDeps {
  catalog: Pick<Catalog, 'providers'>;
  /** Returns the operator's configuration of a provider; an address in it is the vendor's own. */
  credentials(slug: string): { baseUrl?: string };
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
}

/** A secret as it arrives in a request. */
export interface SubmittedSecret {
  providerSlug: string;
  key: string;
  /** The address; when null, the address inside the key, else the vendor's own. */
  baseUrl: string | null;
}

export interface CheckedSecret {
  /** The part of the key whose ends may be shown. Undefined for a key that breaks a rule. */
  apiKey?: string;
  /** The only origin that may receive the key; null for the origin of the vendor's own address. */
  origin: string | null;
  /** The issues of provider, key and address together. */
  issues: Issue[];
}

/** Checks whether a provider can be called with a secret, without calling the provider. */
export function checkSecret(
  deps: CheckSecretDeps,
  { providerSlug, key, baseUrl }: SubmittedSecret,
): CheckedSecret {
  const issues = baseUrl === null ? [] : issuesOfAddress(deps.checkUrl, 'body.base_url', baseUrl);
  const row = deps.catalog.providers().find(({ slug }) => slug === providerSlug);
  if (row === undefined) {
    issues.unshift({ path: 'body.provider', message: 'is no provider of the catalog' });
    return { origin: null, issues };
  }
  if (baseUrl === null && !bringsAddress(row.adapter, key) && !hasOwnAddress(deps, row)) {
    issues.push({ path: 'body.base_url', message: missingAddress(row.adapter) });
  }
  const secret = readCredential(row.adapter, key, 'customer');
  if (typeof secret === 'string') {
    issues.push({ path: 'body.key', message: secret });
    return { origin: null, issues };
  }
  for (const url of [secret.baseUrl, secret.tokenUrl])
    if (url !== undefined) issues.push(...issuesOfAddress(deps.checkUrl, 'body.key', url));
  const address = baseUrl ?? secret.baseUrl;
  return {
    apiKey: secret.shown ?? secret.apiKey,
    origin: address === undefined ? null : originOf(address),
    issues,
  };
}

/**
 * Returns whether the provider can be called with a credential without an address. A vendor on OpenAI's wire has its
 * address in the catalog; an address that is only in the configuration belongs to the operator's own server. Azure's
 * addresses belong to its customers.
 */
function hasOwnAddress({ credentials }: CheckSecretDeps, { slug, adapter, baseUrl }: ProviderRow): boolean {
  if (mayBringAddress(adapter)) return false;
  if (baseUrl !== null) return true;
  return !needsAddress(adapter) && credentials(slug).baseUrl !== undefined;
}

function missingAddress(adapter: string): string {
  const rest: Record<string, string> = {
    azure: ', unless the key is a JSON object with an endpoint_url',
    bedrock: ', unless the key is a JSON object with a region',
  };
  return `is required for this provider${rest[adapter] ?? ''}`;
}

function issuesOfAddress(checkUrl: (url: string) => void, path: string, url: string): Issue[] {
  if (url.length > MAX_URL_LENGTH) {
    return [{ path, message: `must name an address of at most ${MAX_URL_LENGTH} characters` }];
  }
  const [issue = issueOfTail(path, url)] = issuesOfUrl(checkUrl, path, url);
  return issue === undefined ? [] : [issue];
}
