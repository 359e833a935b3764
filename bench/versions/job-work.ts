/** Measures how many video jobs a gateway accepts, and how many it completes, in a second. */
import type { Receiver } from '../../test/support/receiver.ts';
import { requestsPerSecond } from '../accept/load.ts';
import type { MeasuredGateway } from '../gateway-process.ts';
import type { Work } from '../live/comparison.ts';

/**
 * The jobs that are accepted in a round. Their number is fixed, because accepted jobs stay open without a worker, and
 * each request counts the open ones: a round by time would make the faster side slower.
 */
const ACCEPTED = 1_000;
/** The jobs of one batch, which are submitted at once. A round has as many whole batches as begin in its time. */
const BATCH = 100;
const CONNECTIONS = 32;

/** Accepts jobs that no worker runs. */
export function acceptWork(gateway: MeasuredGateway): Work {
  return {
    pids: [gateway.pid],
    async run() {
      return { perSecond: await submitJobs(gateway, ACCEPTED), requests: ACCEPTED };
    },
  };
}

/** Starts the gateway's worker. A job counts from its submission to its webhook. */
export function videoWork(gateway: MeasuredGateway, receiver: Receiver): Work {
  // The worker bundles its own workflows: the bundle of this run belongs to this checkout alone.
  const workerPid = gateway.startWorker();
  return {
    pids: [gateway.pid, workerPid],
    async run(seconds) {
      const before = receiver.received.length;
      const startedAtMs = performance.now();
      let requests = 0;
      let tookMs = 0;
      while (tookMs < seconds * 1_000) {
        requests += BATCH;
        await submitJobs(gateway, BATCH, receiver.url);
        await receiver.next(before + requests);
        tookMs = performance.now() - startedAtMs;
      }
      return { perSecond: requests / (tookMs / 1_000), requests };
    },
  };
}

function submitJobs(gateway: MeasuredGateway, requests: number, callbackUrl?: string): Promise<number> {
  // The output of this model is prepared, so that it costs the upstream next to nothing.
  const job = { model: 'local/clip-canned', prompt: 'a benchmark', callback_url: callbackUrl };
  return requestsPerSecond({
    url: `${gateway.origin}/api/v1/videos`,
    headers: { authorization: `Bearer ${gateway.apiKey}` },
    body: JSON.stringify(job),
    connections: CONNECTIONS,
    requests,
    expectedStatus: 202,
  });
}
