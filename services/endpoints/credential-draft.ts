/** Defines the forms in which requests create and change provider credentials of customers. */
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';

/** The settings of a credential that a customer chooses, without its secret. */
export type CredentialSettings = Pick<
  ByokCredential,
  | 'name'
  | 'disabled'
  | 'isFallback'
  | 'isRequired'
  | 'isByokOnly'
  | 'declaredZdr'
  | 'declaredRegion'
  | 'baseUrl'
  | 'allowedModels'
  | 'allowedApiKeyHashes'
  | 'allowedUserIds'
>;

/** A new credential as a request describes it. Its models are named by id, slug or alias. */
export interface CredentialDraft extends CredentialSettings {
  providerSlug: string;
  /** The secret, as the provider's adapter reads it. */
  key: string;
  /** The workspace. When absent, the organization's default one; when null, every workspace of the organization. */
  workspaceId?: string | null;
}

/** Changes to a credential; absent fields stay unchanged. */
export type CredentialChanges = Partial<CredentialSettings & Pick<ByokCredential, 'sortOrder'>> & {
  key?: string;
};
