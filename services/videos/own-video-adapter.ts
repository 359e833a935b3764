/** Finds the adapter for a video job with a customer's own credential, as the credential is stored now. */
import { createOwnResourcesReadModel } from '../../db/endpoints/own-resources-read-model.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { CredentialDeletedError, type JobAdapterDeps } from './job-adapter.ts';
import type { OwnProviders } from '../endpoints/own-providers.ts';

/** Finds the adapter for a job that runs with a customer's own credential, by the credential's current version. */
export function createOwnVideoAdapter(
  knex: Handle,
  providers: Pick<OwnProviders, 'of'>,
): JobAdapterDeps['ownVideoAdapter'] {
  const store = createOwnResourcesReadModel(knex);
  return async (providerSlug, credentialId) => {
    const credential = await store.findCredential(credentialId);
    if (credential === null) throw new CredentialDeletedError();
    const own = providers.of({ providerSlug, baseUrl: credential.baseUrl, credential });
    return 'provider' in own ? own.provider.video : undefined;
  };
}
