/** Converts request bodies to new or changed vendor keys of customers. */
import type { ByokKeyChangesBody, NewByokKeyBody } from '../../contract/endpoints/byok-body.ts';
import type { CredentialChanges, CredentialDraft } from '../../services/endpoints/credential-draft.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';

/** Returns the draft, with defaults for absent fields. */
export function toCredentialDraft(body: NewByokKeyBody): CredentialDraft {
  const { provider, key, workspace_id: workspaceId, ...settings } = body;
  return {
    name: null,
    disabled: false,
    isFallback: false,
    isRequired: false,
    isByokOnly: false,
    declaredZdr: null,
    declaredRegion: null,
    baseUrl: null,
    allowedModels: null,
    allowedApiKeyHashes: null,
    allowedUserIds: null,
    ...toCredentialChanges(settings),
    ...withoutUndefined({ workspaceId }),
    providerSlug: provider,
    key,
  };
}

/** Converts the body to changes, without absent fields. */
export function toCredentialChanges(body: ByokKeyChangesBody): CredentialChanges {
  return withoutUndefined({
    key: body.key,
    name: body.name,
    disabled: body.disabled,
    isFallback: body.is_fallback,
    isRequired: body.is_required,
    isByokOnly: body.is_byok_only,
    declaredZdr: body.declared_zdr,
    declaredRegion: body.declared_region,
    baseUrl: body.base_url,
    allowedModels: body.allowed_models,
    allowedApiKeyHashes: body.allowed_api_key_hashes,
    allowedUserIds: body.allowed_user_ids,
    sortOrder: body.sort_order,
  });
}
