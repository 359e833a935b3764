import type { ByokKeyRecord } from '../../contract/endpoints/byok-record.ts';
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';

/** Presents a credential with every field: published clients reject a record that lacks one. */
export function presentByokKey(credential: ByokCredential): ByokKeyRecord {
  return {
    id: credential.id,
    provider: credential.providerSlug,
    label: credential.label,
    name: credential.name,
    disabled: credential.disabled,
    is_fallback: credential.isFallback,
    is_required: credential.isRequired,
    is_byok_only: credential.isByokOnly,
    declared_zdr: credential.declaredZdr,
    declared_region: credential.declaredRegion,
    base_url: credential.baseUrl,
    allowed_models: credential.allowedModels,
    allowed_api_key_hashes: credential.allowedApiKeyHashes,
    allowed_user_ids: credential.allowedUserIds,
    sort_order: credential.sortOrder,
    workspace_id: credential.workspaceId,
    created_at: credential.createdAt.toISOString(),
  };
}
