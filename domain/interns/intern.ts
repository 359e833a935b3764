/** An agent that runs on a host of its owner, as far as signing and egress need to know it. */
export interface KnownIntern {
  id: string;
  organizationId: string;
  workspaceId: string;
  /** Names the vault that was made with it. */
  vaultId: string;
  /** Names the vault of another intern, which may be gone by now; null where none is attached. */
  attachedVaultId: string | null;
}
