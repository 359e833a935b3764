/** Finds and decrypts the secrets that a request of an intern names. */
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
  /** The secrets for the host in each vault, including secrets that another vault overrides. */
  forHost: Readonly<Record<SecretScope, SecretsForHost>>;
}

type Vaults = Pick<VaultMemory, 'vaultsOf' | 'valueOf'>;

/**
 * Returns the secrets of these names with their values. Throws 403 when the effective secret of a name is missing or
 * may not be sent to the host, even if an overridden one may. Throws 503 for a value that cannot be opened.
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
    // A secret may have been replaced after the vaults were read.
    return resolveOnce(vaults, intern, names, host);
  }
}

async function resolveOnce(
  vaults: Vaults,
  intern: KnownIntern,
  names: readonly string[],
  host: string,
): Promise<ResolvedSecrets> {
  const secrets = await vaults.vaultsOf(intern);
  const found = names.map((name) => {
    const secret = effectiveSecret(secrets, name);
    if (secret === undefined || !isForHost(secret, host)) throw notForHost(name);
    return secret;
  });
  const used: ResolvedSecrets['used'] = [];
  for (const secret of found) {
    const value = await vaults.valueOf(secret);
    used.push({ ...secret, value, scope: await originOf(vaults, secrets, secret, value) });
  }
  const forHost = {
    intern: secretsForHost(secrets.intern, host),
    attached: secretsForHost(secrets.attached, host),
    workspace: secretsForHost(secrets.workspace, host),
  };
  return { used, forHost };
}

/**
 * Returns the scope of the vault that a value was copied from, otherwise of the vault that contains it. An intern's key
 * can copy secrets from vaults that it cannot write to.
 */
async function originOf(
  vaults: Vaults,
  secrets: VaultsOf<KnownSecret>,
  { name, scope }: EffectiveSecret<KnownSecret>,
  value: string,
): Promise<SecretScope> {
  for (const earlier of LAYER_ORDER.slice(0, LAYER_ORDER.indexOf(scope))) {
    const overridden = secrets[earlier].get(name);
    if (overridden === undefined) continue;
    if ((await vaults.valueOf(overridden).catch(() => undefined)) === value) return earlier;
  }
  return scope;
}

function notForHost(name: string): AppError {
  return new AppError('secret_not_for_host', {
    publicMessage: `No secret of the name ${name} may be sent to this host`,
  });
}
