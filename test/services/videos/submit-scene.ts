import type { FaultInput } from '../../../upstream/faults.ts';
import type { SubmitDeps, SubmitStep } from '../../../services/videos/send-submission.ts';
import { submitJob } from '../../../services/videos/submit-job.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { addVideoModel } from '../../support/catalog.ts';
import { asked } from '../../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { submit } from '../../support/jobs.ts';

/** A gateway without a worker, whose jobs the test submits itself. `test/plain` has a provider without any promise. */
export interface SubmitScene {
  gateway: Gateway;
  deps: TestActivityDeps;
  openJob(faults: FaultInput[], model?: string, provider?: string): Promise<string>;
  attempt(
    jobId: string,
    runId?: string,
    over?: Partial<SubmitDeps>,
    signal?: AbortSignal,
  ): Promise<SubmitStep>;
  /** Requests of this job that reached the provider, by what they asked for. */
  asked(target: string, jobId: string): ReturnType<typeof asked>;
  close(): Promise<void>;
}

export interface SceneOptions {
  /** Over the defaults of the gateway. */
  env?: Record<string, string>;
  /** Adds to the catalog, before the scene reads it. */
  prepare?: (gateway: Gateway) => Promise<void>;
}

export async function startSubmitScene({ env, prepare }: SceneOptions = {}): Promise<SubmitScene> {
  const gateway = await startGateway({
    env: { PROVIDER_PLAIN_API_KEY: 'upstream-key', ...env },
  });
  await addVideoModel(gateway, 'test/plain', [{ provider: 'plain', adapter: 'openai-compatible' }]);
  await prepare?.(gateway);
  const deps = await createActivityDeps(gateway);
  return {
    gateway,
    deps,
    async openJob(faults, model = 'local/clip-canned', provider = 'local') {
      const { id } = await submit(gateway, { model, provider: { options: { [provider]: { faults } } } });
      return id;
    },
    attempt(jobId, runId = 'run-1', over = {}, signal = new AbortController().signal) {
      const context = { signal, requestId: jobId };
      return submitJob({ ...deps.video, ...over }, jobId, runId, context);
    },
    asked: (target, jobId) => asked(gateway, target, jobId),
    async close() {
      await deps.close();
      await gateway.close();
    },
  };
}
