/**
 * Answers routing's questions about one workspace: its own targets, its credentials, and whether shared endpoints are
 * allowed.
 */
import type { OwnResources } from '../../db/endpoints/own-resources-read-model.ts';
import type { SealedCredential } from '../../db/endpoints/credential-rows.ts';
import type { LiveCapability } from '../../domain/catalog/catalog.ts';
import type { Target } from '../../domain/routing/routing.ts';
import type { KnownModel } from '../catalog/catalog.ts';
import { type CandidateDeps, createCandidates } from './own-candidates.ts';
import { isFor, isForModel, type OwnCaller, type ServedModel } from './own-rights.ts';

/** A model with the capability that a live operation uses. */
interface LiveUse {
  model: KnownModel;
  capability: LiveCapability;
}

/** The endpoints and keys of one workspace, as routing uses them. Only this workspace reaches its targets. */
export interface OwnView {
  /** Returns the customer's own targets for the model. Empty when there are none. */
  targets(model: KnownModel, capability: LiveCapability, caller: OwnCaller): Target[];
  /**
   * Returns the credentials that may serve the model at a provider for this caller, in the order in which they are
   * tried.
   */
  credentials(model: ServedModel, caller: OwnCaller): SealedCredential[];
  /** Returns false when no shared endpoint may serve this model for this caller. `live` is absent for videos. */
  allowsShared(model: ServedModel, caller: OwnCaller, live?: LiveUse): boolean;
}

/** Creates the view of one workspace; null when it has no endpoints and keys. */
export function createOwnView(deps: CandidateDeps, own: OwnResources): OwnView | null {
  const { credentials } = own;
  if (credentials.length === 0 && own.endpoints.length === 0) return null;
  const candidates = createCandidates(deps, own);
  const isByokOnly = credentials.some((credential) => credential.isByokOnly);
  const required = credentials.filter(({ isRequired }) => isRequired);
  return {
    targets: (model, capability, caller) =>
      candidates
        .of(model, capability)
        .filter(
          ({ credential, isUsable }) => (credential === null || isFor(credential, caller)) && isUsable(),
        )
        .map(({ target }) => target),
    credentials: (model, caller) =>
      credentials.filter(
        (credential) =>
          isForModel(credential, model) &&
          isFor(credential, caller) &&
          'provider' in deps.providers.of({ ...credential, credential }),
      ),
    allowsShared(model, caller, live) {
      if (isByokOnly) return false;
      const own = live === undefined ? [] : candidates.of(live.model, live.capability);
      return !required.some(
        (credential) =>
          isFor(credential, caller) &&
          (isForModel(credential, model) || own.some((candidate) => candidate.credential === credential)),
      );
    },
  };
}
