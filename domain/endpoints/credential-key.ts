/** Reads the keys of provider credentials, and tells which of them need or contain an address. */
import { type Fields, isFields } from '../fields.ts';

/** A decoded secret, as an adapter uses it. */
export interface CredentialSecret {
  apiKey: string;
  /** The address inside the key, or the one that follows from it. */
  baseUrl?: string;
  /** The version of Azure's API; absent: the current one. */
  apiVersion?: string;
  /** The part of a JSON object whose ends may be shown; absent: the key. */
  shown?: string;
  /** The fields of a JSON object that an adapter reads itself. */
  fields?: Fields;
  /** The address inside the key that issues tokens for it. */
  tokenUrl?: string;
  /** The secrets that errors must not contain, for a key that is a JSON object; absent: only the key. */
  secrets?: readonly string[];
}

/** Adapters whose keys may be JSON objects with an address, or with a region from which the address follows. */
const BRINGS_ADDRESS: ReadonlySet<string> = new Set(['azure', 'bedrock', 'google-vertex']);
/** Adapters whose keys are never plain. */
const IS_OBJECT: ReadonlySet<string> = new Set(['google-vertex']);
/** Adapters without a vendor address: the customer gives one, in the credential or inside the secret. */
const NEEDS_ADDRESS: ReadonlySet<string> = new Set(['openai-compatible', ...BRINGS_ADDRESS]);

/** Returns whether a credential for the adapter must name an address. */
export function needsAddress(adapter: string): boolean {
  return NEEDS_ADDRESS.has(adapter);
}

/** Returns whether the keys of an adapter may contain an address. */
export function mayBringAddress(adapter: string): boolean {
  return BRINGS_ADDRESS.has(adapter);
}

/** Returns whether a key is the JSON form with an address. */
export function bringsAddress(adapter: string, key: string): boolean {
  return mayBringAddress(adapter) && (IS_OBJECT.has(adapter) || key.trimStart().startsWith('{'));
}

const MAX_VERSION_CHARACTERS = 64;

/**
 * Reads the `key` of a credential. Azure's is plain or `{"api_key", "endpoint_url", "api_version"?}`; all others are
 * plain. Returns a text that names the broken rule if the key is invalid.
 */
export function parseCredentialKey(adapter: string, key: string): CredentialSecret | string {
  if (!bringsAddress(adapter, key)) {
    return /^[\x21-\x7e]+$/.test(key) ? { apiKey: key } : 'must consist of visible ASCII characters';
  }
  const parsed = parseObject(key);
  if (parsed === undefined) return 'must be a plain key or a JSON object';
  const { api_key: apiKey, endpoint_url: baseUrl, api_version: apiVersion } = parsed;
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    return 'must have an api_key of visible ASCII characters';
  }
  if (typeof baseUrl !== 'string' || baseUrl === '') return 'must have an endpoint_url';
  if (apiVersion === undefined || apiVersion === null) return { apiKey, baseUrl };
  const isVersion =
    typeof apiVersion === 'string' &&
    apiVersion.length <= MAX_VERSION_CHARACTERS &&
    /^[\w.-]+$/.test(apiVersion);
  return isVersion ? { apiKey, baseUrl, apiVersion } : 'must have an api_version such as 2024-10-21';
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
