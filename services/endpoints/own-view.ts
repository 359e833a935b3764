import type { Brought } from '../../db/endpoints/brought-read-model.ts';
import type { SealedCredential } from '../../db/endpoints/credential-rows.ts';
import type { LiveCapability } from '../../domain/catalog.ts';
import type { Target } from '../../domain/routing.ts';
import type { KnownModel } from '../routing/catalog.ts';
import { type CandidateDeps, createCandidates } from './own-candidates.ts';
import { isFor, isForModel, isForWorkspace, type OwnCaller, type ServedModel } from './own-rights.ts';

/** What one workspace brought, as routing sees it. Nobody else reaches its targets. */
export interface OwnView {
  /** Returns the customer's own ways to serve the model. Empty when there are none. */
  targets(model: KnownModel, capability: LiveCapability, caller: OwnCaller): Target[];
  /** Returns the credentials that may serve the model at a provider for this caller, in the order in which they are tried. */
  credentials(model: ServedModel, caller: OwnCaller): SealedCredential[];
  /** False: no shared endpoint may serve this model for this caller. */
  allowsShared(model: ServedModel, caller: OwnCaller): boolean;
}

/** One request tries no more credentials of a vendor. */
const MAX_OF_VENDOR = 8;

/** Creates the view of one workspace; null where the organization brought nothing for it. */
export function createOwnView(deps: CandidateDeps, brought: Brought, workspaceId: string): OwnView | null {
  const credentials = brought.credentials.filter((credential) => isForWorkspace(credential, workspaceId));
  if (credentials.length === 0 && brought.endpoints.length === 0) return null;
  const candidates = createCandidates(deps, { ...brought, credentials });
  const isByokOnly = credentials.some((credential) => credential.isByokOnly);
  const required = credentials.filter(({ isRequired }) => isRequired);
  return {
    targets(model, capability, caller) {
      const tried = new Map<string, Set<string>>();
      return candidates
        .of(model, capability)
        .filter(({ credential, isUsable }) => {
          if (credential === null) return isUsable();
          if (!isFor(credential, caller) || !isUsable()) return false;
          const { id, providerSlug } = credential;
          const ofVendor = tried.get(providerSlug) ?? new Set();
          tried.set(providerSlug, ofVendor);
          if (ofVendor.size < MAX_OF_VENDOR) ofVendor.add(id);
          return ofVendor.has(id);
        })
        .map(({ target }) => target);
    },
    credentials: (model, caller) =>
      credentials.filter(
        (credential) =>
          isForModel(credential, model) &&
          isFor(credential, caller) &&
          'provider' in deps.providers.of({ ...credential, credential }),
      ),
    allowsShared: (model, caller) =>
      !isByokOnly &&
      !required.some((credential) => isForModel(credential, model) && isFor(credential, caller)),
  };
}
