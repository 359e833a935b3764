import { describeFailures } from './adapter-failures.ts';
import { describeJobs } from './adapter-jobs.ts';
import { describeSubmit } from './adapter-submit.ts';
import { setUpAdapter } from './adapter-under-test.ts';

/**
 * The promises of VideoAdapter, which every adapter for the `/v1/videos` wire keeps, tested over HTTP against
 * the local upstream.
 */
export function describeVideoAdapter(name: string): void {
  const adapter = setUpAdapter(name);
  describeSubmit(adapter);
  describeFailures(adapter);
  describeJobs(adapter);
}
