/** Selects the secrets of a vault whose values a given host may know, to search for them in its answers. */
import { createHash } from 'node:crypto';
import { isForHost } from '../../../domain/interns/effective-secrets.ts';
import type { KnownSecret } from '../vault/vault-memory.ts';

type Secrets = ReadonlyMap<string, KnownSecret>;

/** The secrets of one vault that may be sent to one host. */
export interface SecretsForHost {
  /** The secrets in the order of their names, at most `MAX_UNUSED`. */
  secrets: readonly KnownSecret[];
  /** Identifies these secrets and their values by their versions, which are never reused. */
  key: string;
}

/** The largest number of unused secrets for a host whose values masks search for in its answers. */
export const MAX_UNUSED = 100;

/**
 * The largest number of hosts that are cached for a vault. Secrets without hosts are for every host, so requests may
 * name many hosts.
 */
const MAX_HOSTS = 50;

const cache = new WeakMap<Secrets, Map<string, SecretsForHost>>();

/** Returns the secrets of a vault for the host. The result is cached for each host while the vault is in memory. */
export function secretsForHost(vault: Secrets, host: string): SecretsForHost {
  const hosts = cache.get(vault) ?? new Map<string, SecretsForHost>();
  cache.set(vault, hosts);
  const known = hosts.get(host);
  if (known !== undefined) return known;
  if (hosts.size >= MAX_HOSTS) hosts.clear();
  const found = findSecrets(vault, host);
  hosts.set(host, found);
  return found;
}

function findSecrets(vault: Secrets, host: string): SecretsForHost {
  const secrets: KnownSecret[] = [];
  for (const secret of vault.values()) if (isForHost(secret, host)) secrets.push(secret);
  // Names are ASCII and unique in a vault, so this order is total.
  const first = secrets.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_UNUSED);
  const key = createHash('sha256').update(first.map(versionOf).join('\n')).digest('base64');
  return { secrets: first, key };
}

/** Returns a text that identifies a secret and its value. */
export function versionOf({ vaultId, name, version }: KnownSecret): string {
  return `${vaultId}/${name}/${version}`;
}
