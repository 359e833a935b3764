/** Decides which callers and which models a customer's credential may serve. */
import type { ByokCredential } from '../../domain/endpoints/byok-credential.ts';
import type { Principal } from '../../domain/principal.ts';

/** The facts about a caller that decide which credentials may serve it. */
export type OwnCaller = Pick<Principal, 'keyHash' | 'creatorUserId'>;

/** Returns whether the credential may serve this caller. */
export function isFor(credential: ByokCredential, { keyHash, creatorUserId }: OwnCaller): boolean {
  const { allowedApiKeyHashes: hashes, allowedUserIds: users } = credential;
  if (hashes !== null && !hashes.includes(keyHash)) return false;
  return users === null || (creatorUserId !== undefined && users.includes(creatorUserId));
}

/** A model with the slugs of the providers that the catalog knows for it. */
export interface ServedModel {
  id: string;
  endpoints: readonly { providerSlug: string }[];
}

/**
 * Returns whether the credential is for the model. A list of models decides alone; without a list, the vendor must
 * serve the model.
 */
export function isForModel(credential: ByokCredential, { id, endpoints }: ServedModel): boolean {
  const { allowedModels, providerSlug } = credential;
  if (allowedModels !== null) return allowedModels.includes(id);
  return endpoints.some((endpoint) => endpoint.providerSlug === providerSlug);
}

/** Returns whether the credential's list of models contains the model; true without a list. */
export function mayServeModel({ allowedModels }: ByokCredential, modelId: string): boolean {
  return allowedModels === null || allowedModels.includes(modelId);
}
