/** Lists the columns of customers' vendor keys. */
import { REGIONS } from '../../domain/catalog/catalog.ts';
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';
import { bool, int4, oneOf, text, texts, timestamptz, uuid } from '../postgres/shape.ts';

/** A credential with its encrypted secret. */
export interface SealedCredential extends ByokCredential {
  sealed: string;
  /** Changes when the secret changes. */
  secretVersion: string;
}

export const CREDENTIAL = {
  id: uuid,
  organizationId: uuid,
  workspaceId: uuid.orNull,
  providerSlug: text,
  label: text,
  name: text.orNull,
  disabled: bool,
  isFallback: bool,
  isRequired: bool,
  isByokOnly: bool,
  declaredZdr: bool.orNull,
  declaredRegion: oneOf(REGIONS).orNull,
  baseUrl: text.orNull,
  origin: text.orNull,
  allowedModels: texts.orNull,
  allowedApiKeyHashes: texts.orNull,
  allowedUserIds: texts.orNull,
  sortOrder: int4,
  sealed: text,
  secretVersion: uuid,
  createdAt: timestamptz,
};

/** The fields of a credential that can be changed. A new secret comes with its label, version and origin. */
export type CredentialColumns = Partial<
  Omit<SealedCredential, 'id' | 'organizationId' | 'workspaceId' | 'providerSlug' | 'createdAt'>
>;
