import { createBroughtReadModel } from '../../db/endpoints/brought-read-model.ts';
import type { Handle } from '../../db/connection.ts';
import { CredentialDeletedError, type JobAdapterDeps } from './job-adapter.ts';
import type { OwnProviders } from '../endpoints/own-providers.ts';

/** Finds the adapter of a job that a customer's own credential pays for, by the credential as it is now. */
export function createOwnVideoAdapter(
  knex: Handle,
  providers: Pick<OwnProviders, 'of'>,
): JobAdapterDeps['ownVideoAdapter'] {
  const store = createBroughtReadModel(knex);
  return async (providerSlug, credentialId) => {
    const credential = await store.findCredential(credentialId);
    if (credential === null) throw new CredentialDeletedError();
    const own = providers.of({ providerSlug, baseUrl: credential.baseUrl, credential });
    return 'provider' in own ? own.provider.video : undefined;
  };
}
