/** Answers the operations on customers' own keys of providers (BYOK). */
import type { ByokKeyChangesBody, NewByokKeyBody } from '../../contract/endpoints/byok-body.ts';
import type { byokKeyOperations } from '../../contract/endpoints/byok-keys.ts';
import type { ByokKeyRecord } from '../../contract/endpoints/byok-record.ts';
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import { actorOf } from '../../domain/principal.ts';
import type { CredentialChanges, CredentialDraft } from '../../services/endpoints/credential-draft.ts';
import type { CredentialService } from '../../services/endpoints/credential-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import type { RoutesOf } from '../http/route.ts';

export const byokKeyRoutes: RoutesOf<typeof byokKeyOperations, { credentials: CredentialService }> = {
  /** Handles `GET /byok`: lists the customer's own keys of providers that a workspace may use. */
  listByokKeys: async ({ principal, query }, { services }) => {
    const { limit, offset, workspace_id: workspaceId, provider: providerSlug } = query;
    const page = { limit, offset, workspaceId, providerSlug };
    const { credentials, totalCount } = await services.credentials.list(principal.organizationId, page);
    return { status: 200, body: { data: credentials.map(presentByokKey), total_count: totalCount } };
  },

  /** Handles `POST /byok`: stores the customer's own key of a provider (BYOK). */
  createByokKey: (call, { services }) =>
    answerIdempotently(
      call,
      (credential: ByokCredential) => ({ status: 201, body: { data: presentByokKey(credential) } }),
      (once) => services.credentials.create(call, toCredentialDraft(call.body), once),
    ),

  /** Handles `GET /byok/{id}`: describes one of the customer's own keys of providers, without its secret. */
  getByokKey: async ({ principal, params }, { services }) => {
    const credential = await services.credentials.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentByokKey(credential) } };
  },

  /** Handles `PATCH /byok/{id}`: changes one of the customer's own keys of providers, or its settings. */
  updateByokKey: async (call, { services }) => {
    const changes = requireUpdateFields(toCredentialChanges(call.body));
    const credential = await services.credentials.update(actorOf(call), call.params.id, changes);
    return { status: 200, body: { data: presentByokKey(credential) } };
  },

  /** Handles `DELETE /byok/{id}`: deletes a customer's own key of a provider. */
  deleteByokKey: async (call, { services }) => {
    await services.credentials.remove(actorOf(call), call.params.id);
    return { status: 200, body: { deleted: true } };
  },
};

/** Returns the draft, with defaults for absent fields. */
function toCredentialDraft(body: NewByokKeyBody): CredentialDraft {
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
function toCredentialChanges(body: ByokKeyChangesBody): CredentialChanges {
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

/** Presents a credential with every field: published clients reject a record that lacks one. */
function presentByokKey(credential: ByokCredential): ByokKeyRecord {
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
