/** Starts stand-ins for clouds that make videos. Each adds the words of its vendor's wire. */
import { parseFaults } from '../../upstream/control.ts';
import { createFaultQueue, type FaultQueue, type JobFault } from '../../upstream/faults.ts';
import { jsonReply, type Reply, type UpstreamError } from '../../upstream/reply.ts';
import type { Exchange, Route } from '../../upstream/route.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { standInOf, startVendorServer, type VendorServerOptions } from './vendor-server.ts';

/** The head of an MP4 file and some bytes more: the gateway looks at no more than that. */
export const MP4 = Buffer.concat([
  Buffer.from('000000186674797069736f6d0000020069736f6d6d703432', 'hex'),
  Buffer.alloc(4096),
]);

const mp4Reply = (): Reply => ({ status: 200, headers: { 'content-type': 'video/mp4' }, body: MP4 });

/** A job of a stand-in, in memory. */
export interface MadeJob {
  id: string;
  /** Faults for the requests about it. */
  faults: FaultQueue;
  /** Faults in its own life. */
  script: JobFault[];
  retrieves: number;
}

/** The fault of this kind in the life of a job. */
export function faultOf<Kind extends JobFault['kind']>(
  { script }: Pick<MadeJob, 'script'>,
  kind: Kind,
): Extract<JobFault, { kind: Kind }> | undefined {
  return script.find((fault): fault is Extract<JobFault, { kind: Kind }> => fault.kind === kind);
}

export interface VideoCloud<Job extends MadeJob> {
  standIn: VendorStandIn;
  /** Oldest first. */
  jobs: Map<string, Job>;
  url(): string;
  /** Returns the faults that a request brings along in a field. */
  faultsIn(field: unknown): FaultQueue;
  /** Keeps a job with these faults, and with those for the next one. */
  add(faults: FaultQueue, job: Omit<Job, 'faults' | 'script' | 'retrieves'>): Job;
  /** Returns the job with this id. Throws if the vendor has none. */
  get(id: string): Job;
  /** Returns the job of a path with `:id`. Throws if the vendor has none. */
  find(exchange: Exchange): Job;
  faultsOf(exchange: Exchange): Promise<FaultQueue | undefined>;
  /**
   * Returns the routes of a job's file at a path with `:id`, and of a link to it for redirects. The file needs no key
   * unless the vendor's own check of a request is given.
   */
  fileRoutes(path: string, own?: Pick<Route, 'faults'> & { check(exchange: Exchange): void }): Route[];
  /** Counts a request for the status of a job, which throws once the job has vanished. */
  retrieve(job: Job): void;
}

export type VideoCloudOptions<Job extends MadeJob> = Pick<
  VendorServerOptions,
  'scheme' | 'keyHeader' | 'refusal'
> & {
  /** The path of the adapter's base URL. */
  basePath: string;
  /** The refusal of a job that the vendor does not have. */
  missing(id: string): UpstreamError;
  routes(cloud: VideoCloud<Job>): Route[];
};

export async function startVideoCloud<Job extends MadeJob>(
  options: VideoCloudOptions<Job>,
): Promise<VideoCloud<Job>> {
  const faults = createFaultQueue();
  const jobs = new Map<string, Job>();
  const cloud: Omit<VideoCloud<Job>, 'standIn'> = {
    jobs,
    url: () => server.origin,
    faultsIn: (field) => createFaultQueue(field === undefined ? [] : parseFaults(field)),
    add(own, facts) {
      const script = [...own.takeForJob(), ...faults.takeForJob()];
      const job = { ...facts, faults: own, script, retrieves: 0 } as Job;
      jobs.set(job.id, job);
      return job;
    },
    get(id) {
      const job = jobs.get(id);
      if (job === undefined) throw options.missing(id);
      return job;
    },
    find: ({ params }) => cloud.get(params['id'] ?? ''),
    faultsOf: async ({ params }) => jobs.get(params['id'] ?? '')?.faults,
    fileRoutes(path, own) {
      const serve = (exchange: Exchange) => {
        own?.check(exchange);
        return { ...mp4Reply(), keylessPath: `/links/${exchange.params['id'] ?? 'file'}` };
      };
      const { faults = cloud.faultsOf } = own ?? {};
      const access = own === undefined ? ({ keyless: true } as const) : {};
      return [
        { method: 'GET', path, target: 'content', ...access, faults, handle: serve },
        { method: 'GET', path: '/links/:id', keyless: true, handle: mp4Reply },
      ];
    },
    retrieve(job) {
      if (job.retrieves >= (faultOf(job, 'vanish')?.afterRetrieves ?? Infinity)) {
        jobs.delete(job.id);
        throw options.missing(job.id);
      }
      job.retrieves += 1;
    },
  };
  // Routes may be added while the stand-in runs.
  const routes = options.routes(cloud as VideoCloud<Job>);
  routes.push({ method: 'GET', path: '/healthz', keyless: true, handle: () => jsonReply(200, {}) });
  const server = await startVendorServer({ ...options, faults, routes });
  const standIn = { ...standInOf(server, faults), baseUrl: server.origin + options.basePath };
  return Object.assign(cloud, { standIn });
}
