import type { VideoAdapter } from '../../providers/video-adapter.ts';
import type { JobStep } from './job-step.ts';

/** The ways to a job's provider. Both find nothing where this process cannot speak to it. */
export interface JobAdapterDeps {
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
  /** Speaks to the provider with a customer's credential. Rejects with `CredentialDeletedError` when it is gone. */
  ownVideoAdapter(providerSlug: string, credentialId: string): Promise<VideoAdapter | undefined>;
}

/** The customer deleted the credential that a job runs with. */
export class CredentialDeletedError extends Error {
  constructor() {
    super('the credential was deleted');
    this.name = 'CredentialDeletedError';
  }
}

/** Nobody can ask the provider about the job any more. */
export const CREDENTIAL_DELETED: JobStep = {
  kind: 'ended',
  end: { status: 'failed', code: 'credential_deleted' },
};

/** Returns the adapter of a job: by the operator's credential, or by the customer's that the job was accepted with. */
export async function adapterOf(
  deps: JobAdapterDeps,
  provider: string,
  { credentialId }: { credentialId: string | null },
): Promise<VideoAdapter | undefined> {
  return credentialId === null ? deps.videoAdapter(provider) : deps.ownVideoAdapter(provider, credentialId);
}

/** Ends the job when its credential was deleted under the step. */
export async function unlessDeleted<Step>(step: Promise<Step>): Promise<Step | typeof CREDENTIAL_DELETED> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof CredentialDeletedError) return CREDENTIAL_DELETED;
    throw error;
  }
}
