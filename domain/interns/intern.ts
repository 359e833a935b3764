/** The facts about an intern that signing and egress need. */
export interface KnownIntern {
  id: string;
  organizationId: string;
  workspaceId: string;
  /** The vault that was created with the intern. */
  vaultId: string;
  /** The attached vault of another intern, which may have been deleted; null if none is attached. */
  attachedVaultId: string | null;
}
