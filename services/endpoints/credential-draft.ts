/** Defines the forms in which requests create and change provider credentials of customers, and checks their flags. */
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';
import type { Issue } from '../../domain/errors.ts';

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

type Flags = Pick<CredentialSettings, 'isFallback' | 'isByokOnly'>;

/**
 * Returns the issue of a credential that is a fallback after shared endpoints and also forbids shared endpoints. `sent`
 * are the flags of the request; absent ones are taken from `stored`.
 */
export function issuesOfFlags(sent: Partial<Flags>, stored: Flags): Issue[] {
  const { isFallback, isByokOnly } = { ...stored, ...sent };
  if (!isFallback || !isByokOnly) return [];
  const field = sent.isFallback === true ? 'is_fallback' : 'is_byok_only';
  return [
    { path: `body.${field}`, message: 'must not be true: is_fallback and is_byok_only exclude each other' },
  ];
}
