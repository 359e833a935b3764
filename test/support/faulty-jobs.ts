/** Opens what suites of faulty jobs work with: a gateway, and a receiver of the jobs' webhooks. */
import { afterAll, beforeAll } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { ALL_QUEUES, type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import { submit, type WireJob } from './jobs.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Opens and closes a gateway and a receiver for the tests of a suite. Returns the function that submits a job. */
export function useFaultyJobs(
  begin: (gateway: Gateway, receiver: Receiver) => unknown,
  options: GatewayOptions = {},
): (faults: FaultInput[], model?: string) => Promise<WireJob> {
  let gateway: Gateway;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ worker: ALL_QUEUES, ...options });
    await begin(gateway, receiver);
  });
  afterAll(async () => {
    await gateway.close();
    await receiver.close();
  });
  return (faults, model = 'local/clip-canned') =>
    submit(gateway, { model, callback_url: receiver.url, provider: { options: { local: { faults } } } });
}
