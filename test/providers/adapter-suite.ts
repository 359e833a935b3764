import { describeFailures } from './adapter-failures.ts';
import { describeJobs } from './adapter-jobs.ts';
import { describeSubmit } from './adapter-submit.ts';
import { type AdapterUnderTest, setUpAdapter, type VendorHarness } from './adapter-under-test.ts';
import { describeVideosWire } from './videos-wire.ts';

/** The promises of VideoAdapter, which every adapter keeps, tested over HTTP against a vendor on this machine. */
export function describeVideoPromises(name: string, harness?: VendorHarness): AdapterUnderTest {
  const adapter = setUpAdapter(name, harness);
  describeSubmit(adapter);
  describeFailures(adapter);
  describeJobs(adapter);
  return adapter;
}

/** The same for an adapter of the `/v1/videos` wire, with that wire's own words, against the local upstream. */
export function describeVideoAdapter(name: string): void {
  describeVideosWire(describeVideoPromises(name));
}
