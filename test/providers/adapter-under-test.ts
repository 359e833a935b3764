import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { ProviderError } from '../../domain/provider-error.ts';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import type { Upstream } from '../../upstream/create-upstream.ts';
import type { CallContext } from '../../providers/call-context.ts';
import type {
  OpenedOutput,
  VideoAdapter,
  VideoOperation,
  VideoStatus,
  VideoSubmitRequest,
} from '../../providers/video-adapter.ts';
import type { ProviderTimeouts } from '../../providers/provider-settings.ts';
import { createProviders } from '../../providers/registry.ts';
import { startUpstream, UPSTREAM_KEY } from './upstream-client.ts';

/** A vendor on this machine, to the suite: the local upstream, or one that speaks another wire with its faults. */
export interface VendorStandIn {
  upstream: Pick<Upstream, 'addFaults' | 'clearFaults' | 'requests' | 'close'>;
  url: string;
  baseUrl: string;
  /** The credential of its adapter. Absent: the key of the local upstream. */
  credential?: string;
  /** The model that the suites of text ask for. Absent: that of the local upstream. */
  model?: string;
  /** A plain request, without a body. */
  call(method: string, path: string): Promise<Response>;
}

/** Where vendors differ although the adapter's promises hold. */
export interface VendorHarness {
  start(): Promise<VendorStandIn>;
  /** The model of `newRequest`: it takes a prompt and completes at once. */
  model: string;
  /** The status of a job that stalls. */
  running: Extract<VideoStatus, { state: 'running' }>;
  /** The word for a job that failed with the code `bad_luck`. */
  failedStatus: string;
  /** What a cancelled job's status is: `gone` is a 404. `not_offered`: the vendor documents no cancel. */
  afterCancel: 'gone' | 'cancelled' | 'not_offered';
}

/** The local upstream, which the adapters for the `/v1/videos` wire are held against. */
const LOCAL_UPSTREAM: VendorHarness = {
  start: () => startUpstream(),
  model: 'clip-canned',
  running: { state: 'running', vendorStatus: 'in_progress', progressPercent: 50 },
  failedStatus: 'bad_luck',
  afterCancel: 'gone',
};

/** An adapter connected to a vendor that lives as long as the test file. */
export interface AdapterUnderTest {
  readonly client: VendorStandIn;
  readonly harness: VendorHarness;
  connect(options?: ConnectOptions): VideoAdapter;
  /** Of the canned model, with a key of its own. */
  newRequest(request?: Partial<VideoSubmitRequest>): VideoSubmitRequest;
  newContext(signal?: AbortSignal): CallContext;
  submit(request?: Partial<VideoSubmitRequest>): Promise<VideoOperation>;
  /** Submits a job that has these faults. */
  submitWith(...faults: object[]): Promise<VideoOperation>;
  status(operation: VideoOperation): Promise<VideoStatus>;
  /** The first status that is not `running`. */
  ended(operation: VideoOperation): Promise<VideoStatus>;
  /** The output of a job that completes. */
  open(operation: VideoOperation, signal?: AbortSignal): Promise<OpenedOutput>;
  /** The bytes of that output. */
  file(operation: VideoOperation): Promise<Buffer>;
  /** The ProviderError that the work fails with. */
  failure(work: Promise<unknown>): Promise<ProviderError>;
}

export interface ConnectOptions {
  baseUrl?: string;
  timeouts?: Partial<ProviderTimeouts>;
  outbound?: OutboundGuard;
}

const POLL_MS = 10;

export function setUpAdapter(name: string, harness: VendorHarness = LOCAL_UPSTREAM): AdapterUnderTest {
  let client: VendorStandIn;
  let guard: OutboundGuard;
  let keys = 0;

  beforeAll(async () => {
    client = await harness.start();
    guard = createOutboundGuard({ allow: ['127.0.0.0/8'] });
  });
  afterEach(() => client.upstream.clearFaults());
  afterAll(async () => {
    await guard.close();
    await client.upstream.close();
  });

  return {
    harness,
    get client() {
      return client;
    },
    connect({ baseUrl = client.baseUrl, outbound = guard, timeouts = {} } = {}) {
      const rows = [{ slug: 'vendor', adapter: name, baseUrl }];
      const credentials = () => ({ apiKey: client.credential ?? UPSTREAM_KEY });
      const video = createProviders({ rows, credentials, outbound, timeouts }).get('vendor')?.video;
      if (video === undefined) throw new Error(`${name} has no video adapter`);
      return video;
    },
    newRequest: (request = {}) => ({
      upstreamModel: harness.model,
      prompt: 'A lighthouse',
      idempotencyKey: `key-${(keys += 1)}`,
      ...request,
    }),
    newContext: (signal = new AbortController().signal) => ({ signal, requestId: 'req_test' }),
    submit(request) {
      return this.connect().submit(this.newRequest(request), this.newContext());
    },
    submitWith(...faults) {
      return this.submit({ passthrough: { faults } });
    },
    status(operation) {
      return this.connect().status(operation, this.newContext());
    },
    async ended(operation) {
      for (;;) {
        const status = await this.status(operation);
        if (status.state !== 'running') return status;
        await wait(POLL_MS);
      }
    },
    async open(operation, signal) {
      const status = await this.ended(operation);
      const [output] = status.state === 'completed' ? status.outputs : [];
      if (output === undefined) throw new Error(`the job ended as ${status.state}`);
      return this.connect().openOutput(output, operation, this.newContext(signal));
    },
    async file(operation) {
      return Buffer.concat(await (await this.open(operation)).body.toArray());
    },
    failure,
  };
}

async function failure(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProviderError) return error;
  throw new Error('expected a ProviderError', { cause: error });
}
