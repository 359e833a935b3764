/** Masks the secrets in the configuration of a destination, and restores them from the stored configuration. */
import { looksMasked, maskSecret } from '../masked-secret.ts';

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

/** The fields that determine where the secrets are sent. */
const TARGET_FIELDS = [
  'host',
  'url',
  'baseUrl',
  'endpoint',
  'otlpEndpoint',
  'account',
  'region',
  'bucketName',
] as const;

/** Returns the configuration with masks in place of its secrets. */
export function maskConfig(config: AnyConfig): AnyConfig {
  return mapSecrets(config, (_path, secret) => maskSecret(secret));
}

/**
 * Replaces masks with the stored secrets that they stand for. Refuses a mask that belongs to another secret, and any
 * mask if the secret would be sent to a new address. Otherwise an editor of the destination could read secrets.
 */
export function restoreSecrets(
  stored: AnyConfig | null,
  next: AnyConfig,
): { config: AnyConfig; issues: ConfigIssue[] } {
  const issues: ConfigIssue[] = [];
  const isMoved = stored !== null && TARGET_FIELDS.some((field) => stored[field] !== next[field]);
  const config = mapSecrets(next, (path, value) => {
    if (!looksMasked(value)) return value;
    const secret = stored === null ? undefined : secretAt(stored, path);
    if (secret === undefined || maskSecret(secret) !== value) {
      issues.push({ path, message: 'looks like a masked secret: send the secret itself' });
      return value;
    }
    if (isMoved) {
      const message = 'must be sent again in full, because the address or account changes';
      issues.push({ path, message });
    }
    return secret;
  });
  return { config, issues };
}

function mapSecrets(config: AnyConfig, change: (path: string[], secret: string) => string): AnyConfig {
  const fields = Object.entries(config).map(([field, value]) => {
    if (typeof value === 'string') return [field, SECRET_FIELDS.has(field) ? change([field], value) : value];
    const headers = Object.entries(value ?? {}).map(([name, text]) => [name, change([field, name], text)]);
    return [field, Object.fromEntries(headers)];
  });
  return Object.fromEntries(fields) as AnyConfig;
}

/** Returns the secret at a path. Header names match in any case. */
function secretAt(config: AnyConfig, [field, header]: string[]): string | undefined {
  const value = field === undefined ? undefined : config[field];
  if (typeof value !== 'object' || header === undefined) return typeof value === 'string' ? value : undefined;
  return Object.entries(value).find(([name]) => name.toLowerCase() === header.toLowerCase())?.[1];
}
