import {
  type EffectiveSecret,
  effectiveSecret,
  effectiveSecrets,
  isForHost,
} from '../../../domain/interns/effective-secrets.ts';
import { AppError } from '../../../domain/errors.ts';
import type { KnownIntern } from '../../../domain/interns/intern.ts';
import type { KnownSecret, VaultMemory } from '../vault/vault-memory.ts';
import type { OpenSecret } from './mask/masked-texts.ts';

/** How many secrets for a host are looked for in its answer besides those that the request uses. */
const MAX_UNUSED = 100;

export interface ResolvedSecrets {
  /** Holds the secrets that the request names, in its order of the names. */
  used: (EffectiveSecret<KnownSecret> & OpenSecret)[];
  /** Further secrets of the intern for the same host, without their values. */
  unused: EffectiveSecret<KnownSecret>[];
}

/**
 * Returns the secrets of these names with their values. 403 for a name without a secret that may be sent to the host, also
 * where a vault that does not decide holds one; 503 for a value that cannot be opened.
 */
export async function resolveSecrets(
  vaults: Pick<VaultMemory, 'vaultsOf' | 'valueOf'>,
  intern: KnownIntern,
  names: readonly string[],
  host: string,
): Promise<ResolvedSecrets> {
  const held = await vaults.vaultsOf(intern);
  const found = names.map((name) => {
    const secret = effectiveSecret(held, name);
    if (secret === undefined || !isForHost(secret, host)) throw notForHost(name);
    return secret;
  });
  const used: ResolvedSecrets['used'] = [];
  for (const secret of found) used.push({ ...secret, value: await vaults.valueOf(secret) });
  const unused = effectiveSecrets(held)
    .filter((secret) => isForHost(secret, host) && !names.includes(secret.name))
    .slice(0, MAX_UNUSED);
  return { used, unused };
}

function notForHost(name: string): AppError {
  return new AppError('secret_not_for_host', {
    publicMessage: `No secret of the name ${name} may be sent to this host`,
  });
}
