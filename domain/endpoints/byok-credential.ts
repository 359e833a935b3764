/** Defines the vendor keys that customers bring, how they are masked, and how many are allowed. */
import type { Region } from '../catalog/catalog.ts';

/** A vendor's key that a customer brought, without the secret. */
export interface ByokCredential {
  id: string;
  organizationId: string;
  /** Null: every workspace of the organization. */
  workspaceId: string | null;
  /** A provider of the catalog. */
  providerSlug: string;
  /** The masked secret, such as `sk-a...wxyz`. */
  label: string;
  name: string | null;
  disabled: boolean;
  /** True: used after the shared endpoints. */
  isFallback: boolean;
  /** True: shared endpoints do not serve the models and keys that the credential covers. */
  isRequired: boolean;
  /** True: shared endpoints do not serve the workspaces that the credential covers. */
  isByokOnly: boolean;
  /** Attested by the customer; null keeps the endpoint's own statement. */
  declaredZdr: boolean | null;
  declaredRegion: Region | null;
  /** The address that the customer sent; null: the vendor's address, or the one inside the secret. */
  baseUrl: string | null;
  /** The only origin that receives the secret; null: the origin of the vendor's own address. */
  origin: string | null;
  /** Ids of the only models. Null: all models. */
  allowedModels: string[] | null;
  allowedApiKeyHashes: string[] | null;
  /** User ids of the only key creators. Null: all creators. */
  allowedUserIds: string[] | null;
  /** Credentials with lower numbers are tried first. */
  sortOrder: number;
  createdAt: Date;
}

/** Returns the context that the encrypted secret is bound to. */
export function byokSecretContext(id: string): string {
  return `byok_credentials:${id}`;
}

/** The most credentials of a workspace, and the most organization-wide ones. */
export const MAX_CREDENTIALS_OF_WORKSPACE = 100;

export const MAX_SORT_ORDER = 10_000;
