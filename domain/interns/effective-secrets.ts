/** The vaults that give an intern its secrets, by precedence. */
export const SECRET_SCOPES = ['intern', 'attached', 'workspace'] as const;

export type SecretScope = (typeof SECRET_SCOPES)[number];

export interface NamedSecret {
  name: string;
}

export interface HeldSecret extends NamedSecret {
  /** The only hosts that may receive the secret. Null: all hosts, for secrets stored before secrets had hosts. */
  hosts: readonly string[] | null;
}

/** The secrets of each vault by name. A missing vault is empty. */
export type VaultsOf<Secret> = Readonly<Record<SecretScope, ReadonlyMap<string, Secret>>>;

export type EffectiveSecret<Secret> = Secret & { scope: SecretScope };

/** Returns the secret that the intern receives under the name, for all hosts. */
export function effectiveSecret<Secret extends NamedSecret>(
  vaults: VaultsOf<Secret>,
  name: string,
): EffectiveSecret<Secret> | undefined {
  for (const scope of SECRET_SCOPES) {
    const secret = vaults[scope].get(name);
    if (secret !== undefined) return { ...secret, scope };
  }
  return undefined;
}

/** Returns all secrets of the intern, one for each name, in the order of their names' bytes. */
export function effectiveSecrets<Secret extends NamedSecret>(
  vaults: VaultsOf<Secret>,
): EffectiveSecret<Secret>[] {
  const names = new Set(SECRET_SCOPES.flatMap((scope) => [...vaults[scope].keys()]));
  // Names are ASCII, so the default order is that of their bytes.
  return [...names].toSorted().flatMap((name) => effectiveSecret(vaults, name) ?? []);
}

/**
 * Returns the secrets of a workspace: those of its own vault and, for other names, those that its organization stored
 * before there were workspaces.
 */
export function workspaceSecrets<Secret extends NamedSecret>(
  own: ReadonlyMap<string, Secret>,
  beforeWorkspaces: ReadonlyMap<string, Secret>,
): ReadonlyMap<string, Secret> {
  return beforeWorkspaces.size === 0 ? own : new Map([...beforeWorkspaces, ...own]);
}

/** Returns whether the secret may be sent to the host, which must be normalized by `parseHostName`. */
export function isForHost({ hosts }: HeldSecret, host: string): boolean {
  return hosts === null || hosts.includes(host);
}
