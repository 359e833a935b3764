/** Masks the secrets in the configuration of a destination, and restores them from the stored configuration. */
import { looksMasked, maskSecret } from '../masked-secret.ts';
import type { DestinationType } from './destination.ts';
import { hasMaskedPart, maskUrl } from './masked-url.ts';

/** A configuration of any destination type: texts, and optional headers. */
export type AnyConfig = Record<string, string | Record<string, string> | undefined>;

/** A broken rule, by its path inside the configuration. */
export interface ConfigIssue {
  path: string[];
  message: string;
}

/** The fields that no answer shows. The values of all headers are secret too. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'apiKey',
  'spaceKey',
  'licenseKey',
  'publicKey',
  'secretKey',
  'token',
  'password',
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
  'dsn',
]);

/** The fields that hold URLs. Answers mask parts of them. */
export const URL_FIELDS: ReadonlySet<string> = new Set([
  'host',
  'url',
  'baseUrl',
  'endpoint',
  'otlpEndpoint',
]);

/** The fields that determine where the secrets are sent. */
const TARGET_FIELDS = [...URL_FIELDS, 'account', 'region', 'bucketName'];

/** The stored configuration of a destination, and the same as answers show it. */
export interface StoredConfig {
  config: AnyConfig;
  shown: AnyConfig;
}

/** Returns the configuration with masks in place of its secrets. */
export function maskConfig(type: DestinationType, config: AnyConfig): AnyConfig {
  return mapTexts(config, ([field = '', header], text) => {
    if (isSecret(field, header)) return maskSecret(text);
    return URL_FIELDS.has(field) ? maskUrl(type, text) : text;
  });
}

/**
 * Replaces masks with the stored secrets that they stand for. A mask stands for a secret if answers show it there.
 * Refuses a mask that belongs to another secret, and any mask if the secret would be sent to a new address. Otherwise
 * an editor of the destination could read secrets. `stored` is null for a new destination.
 */
export function restoreSecrets(
  stored: StoredConfig | null,
  next: AnyConfig,
): { config: AnyConfig; issues: ConfigIssue[] } {
  const issues: ConfigIssue[] = [];
  const restored: string[][] = [];
  const config = mapTexts(next, (path, text) => {
    const [field = '', header] = path;
    const isMask = isSecret(field, header) ? looksMasked(text) : URL_FIELDS.has(field) && hasMaskedPart(text);
    if (!isMask) return text;
    const secret = stored === null ? undefined : textAt(stored.config, path);
    if (stored === null || secret === undefined || textAt(stored.shown, path) !== text) {
      issues.push({ path, message: 'looks like a masked secret: send the secret itself' });
      return text;
    }
    if (isSecret(field, header)) restored.push(path);
    return secret;
  });
  const isMoved = stored !== null && TARGET_FIELDS.some((field) => stored.config[field] !== config[field]);
  if (isMoved) {
    const message = 'must be sent again in full, because the address or account changes';
    issues.push(...restored.map((path) => ({ path, message })));
  }
  return { config, issues };
}

function isSecret(field: string, header: string | undefined): boolean {
  return header !== undefined || SECRET_FIELDS.has(field);
}

/** Returns a copy with each text changed, those of headers included. */
function mapTexts(config: AnyConfig, change: (path: string[], text: string) => string): AnyConfig {
  const fields = Object.entries(config).map(([field, value]) => {
    if (typeof value === 'string') return [field, change([field], value)];
    const headers = Object.entries(value ?? {}).map(([name, text]) => [name, change([field, name], text)]);
    return [field, Object.fromEntries(headers)];
  });
  return Object.fromEntries(fields) as AnyConfig;
}

/** Returns the text at a path. Header names match in any case. */
function textAt(config: AnyConfig, [field, header]: string[]): string | undefined {
  const value = field === undefined ? undefined : config[field];
  if (typeof value !== 'object' || header === undefined) return typeof value === 'string' ? value : undefined;
  return Object.entries(value).find(([name]) => name.toLowerCase() === header.toLowerCase())?.[1];
}
