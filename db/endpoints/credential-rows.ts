/** Converts rows of `byok_credentials` to credentials, and changed fields to columns. */
import type { Region } from '../../domain/catalog/catalog.ts';
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';

/** A credential with its encrypted secret. */
export interface SealedCredential extends ByokCredential {
  sealed: string;
  /** Changes when the secret changes. */
  secretVersion: string;
}

export interface CredentialRow {
  id: string;
  organization_id: string;
  workspace_id: string | null;
  provider_slug: string;
  label: string;
  name: string | null;
  disabled: boolean;
  is_fallback: boolean;
  is_required: boolean;
  is_byok_only: boolean;
  declared_zdr: boolean | null;
  declared_region: Region | null;
  base_url: string | null;
  origin: string | null;
  allowed_models: string[] | null;
  allowed_api_key_hashes: string[] | null;
  allowed_user_ids: string[] | null;
  sort_order: number;
  sealed: string;
  secret_version: string;
  created_at: Date | string;
}

/** Converts a row of `byok_credentials`. Its times may be text from JSON. */
export function toCredential(row: CredentialRow): SealedCredential {
  return {
    id: row.id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    providerSlug: row.provider_slug,
    label: row.label,
    name: row.name,
    disabled: row.disabled,
    isFallback: row.is_fallback,
    isRequired: row.is_required,
    isByokOnly: row.is_byok_only,
    declaredZdr: row.declared_zdr,
    declaredRegion: row.declared_region,
    baseUrl: row.base_url,
    origin: row.origin,
    allowedModels: row.allowed_models,
    allowedApiKeyHashes: row.allowed_api_key_hashes,
    allowedUserIds: row.allowed_user_ids,
    sortOrder: row.sort_order,
    sealed: row.sealed,
    secretVersion: row.secret_version,
    createdAt: new Date(row.created_at),
  };
}

/** The fields of a credential that can be changed. A new secret comes with its label, version and origin. */
export type CredentialColumns = Partial<
  Omit<SealedCredential, 'id' | 'organizationId' | 'workspaceId' | 'providerSlug' | 'createdAt'>
>;

/** Returns the columns of the present fields. */
export function columnsOf(changes: CredentialColumns): Record<string, unknown> {
  const columns = {
    label: changes.label,
    name: changes.name,
    disabled: changes.disabled,
    is_fallback: changes.isFallback,
    is_required: changes.isRequired,
    is_byok_only: changes.isByokOnly,
    declared_zdr: changes.declaredZdr,
    declared_region: changes.declaredRegion,
    base_url: changes.baseUrl,
    origin: changes.origin,
    allowed_models: changes.allowedModels,
    allowed_api_key_hashes: changes.allowedApiKeyHashes,
    allowed_user_ids: changes.allowedUserIds,
    sort_order: changes.sortOrder,
    sealed: changes.sealed,
    secret_version: changes.secretVersion,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}
