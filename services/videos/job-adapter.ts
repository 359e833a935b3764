/** Selects the provider adapter of a video job, with the customer's credential or the operator's. */
import type { VideoAdapter } from '../../providers/video-adapter.ts';
import type { EndedStep } from './job-step.ts';
import { createOwnResourcesReadModel } from '../../db/endpoints/own-resources-read-model.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { OwnProviders } from '../endpoints/own-providers.ts';

/** Finds the adapter for a job's provider; undefined when this process has none. */
export interface JobAdapterDeps {
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
  /**
   * Returns an adapter that uses a customer's credential. Rejects with `CredentialDeletedError` when the credential
   * was deleted.
   */
  ownVideoAdapter(providerSlug: string, credentialId: string): Promise<VideoAdapter | undefined>;
}

/** Thrown when the customer has deleted a job's credential. */
export class CredentialDeletedError extends Error {
  constructor() {
    super('the credential was deleted');
    this.name = 'CredentialDeletedError';
  }
}

/** Ends a job whose credential was deleted, because the provider cannot be called any more. */
export const CREDENTIAL_DELETED: EndedStep = {
  kind: 'ended',
  end: { status: 'failed', code: 'credential_deleted' },
};

/**
 * Returns the adapter of a job. Uses the customer's credential with which the job was accepted, or else the operator's.
 */
export async function adapterOf(
  deps: JobAdapterDeps,
  provider: string,
  { credentialId }: { credentialId: string | null },
): Promise<VideoAdapter | undefined> {
  return credentialId === null ? deps.videoAdapter(provider) : deps.ownVideoAdapter(provider, credentialId);
}

/** Ends the job when its credential was deleted during the step. */
export async function endIfCredentialDeleted<Step>(
  step: Promise<Step>,
): Promise<Step | typeof CREDENTIAL_DELETED> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof CredentialDeletedError) return CREDENTIAL_DELETED;
    throw error;
  }
}

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
