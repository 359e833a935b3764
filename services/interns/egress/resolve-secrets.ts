import {
  type EffectiveSecret,
  effectiveSecret,
  isForHost,
  type SecretScope,
  type VaultsOf,
} from '../../../domain/interns/effective-secrets.ts';
import { AppError } from '../../../domain/errors.ts';
import type { KnownIntern } from '../../../domain/interns/intern.ts';
import type { KnownSecret, VaultMemory } from '../vault/vault-memory.ts';
import { LAYER_ORDER } from './mask/mask-layers.ts';
import type { OpenSecret } from './mask/masked-texts.ts';
import { type SecretsForHost, secretsForHost } from './secrets-for-host.ts';

export interface ResolvedSecrets {
  /**
   * The secrets that the request names, in its order. The scope of a copy is that of the vault that it was copied
   * from.
   */
  used: (EffectiveSecret<KnownSecret> & OpenSecret)[];
  /** The secrets for the host in each vault, including those whose name another vault decides. */
  forHost: Readonly<Record<SecretScope, SecretsForHost>>;
}

type Vaults = Pick<VaultMemory, 'vaultsOf' | 'valueOf'>;

/**
 * Returns the secrets of these names with their values. Throws 403 for a name without a secret that may be sent to
 * the host, even when a vault that does not decide holds one, and 503 for a value that cannot be opened.
 */
export async function resolveSecrets(
  vaults: Vaults,
  intern: KnownIntern,
  names: readonly string[],
  host: string,
): Promise<ResolvedSecrets> {
  try {
    return await resolveOnce(vaults, intern, names, host);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
    // Somebody may have replaced a secret after the vaults were read.
    return resolveOnce(vaults, intern, names, host);
  }
}

async function resolveOnce(
  vaults: Vaults,
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
  for (const secret of found) {
    const value = await vaults.valueOf(secret);
    used.push({ ...secret, value, scope: await originOf(vaults, held, secret, value) });
  }
  const forHost = {
    intern: secretsForHost(held.intern, host),
    attached: secretsForHost(held.attached, host),
    workspace: secretsForHost(held.workspace, host),
  };
  return { used, forHost };
}

/**
 * Returns the scope of the vault that a value was copied from, or of the one that holds it. An intern's key can copy
 * what it cannot write.
 */
async function originOf(
  vaults: Vaults,
  held: VaultsOf<KnownSecret>,
  { name, scope }: EffectiveSecret<KnownSecret>,
  value: string,
): Promise<SecretScope> {
  for (const earlier of LAYER_ORDER.slice(0, LAYER_ORDER.indexOf(scope))) {
    const shadowed = held[earlier].get(name);
    if (shadowed === undefined) continue;
    if ((await vaults.valueOf(shadowed).catch(() => undefined)) === value) return earlier;
  }
  return scope;
}

function notForHost(name: string): AppError {
  return new AppError('secret_not_for_host', {
    publicMessage: `No secret of the name ${name} may be sent to this host`,
  });
}
