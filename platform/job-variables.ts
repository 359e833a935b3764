/** Declares the environment variables of video jobs, webhooks, limits and the local upstream. */
import { WEBHOOK_SCHEDULE_SECONDS } from '../domain/runs.ts';
import { anyText, byteSize, duration, secondsList, wholeNumber } from './config-rules.ts';
import { defaulted, optional } from './config-variable.ts';

export const jobVariables = {
  outputRetentionMs: defaulted('OUTPUT_RETENTION', duration('1m', '3650d'), '7d', {
    sentence: 'How long the files of a completed job are kept.',
  }),
  retentionMs: defaulted('VIDEO_JOB_RETENTION', duration('1d', '3650d'), '90d', {
    sentence:
      'How long a video job is kept after it ended, with its submissions, webhook deliveries and attempts. It stays longer while its generation or one of its files is kept.',
  }),
  signedUrlMs: defaulted('SIGNED_URL_LIFETIME', duration('10s', '1h'), '1h', {
    sentence: 'The longest time that a signed URL works. Each read of the job returns new ones.',
  }),
  pendingDeadlineMs: defaulted('JOB_PENDING_DEADLINE', duration('1s', '7d'), '24h', {
    sentence: 'How long an accepted job may wait for its submission before it expires.',
  }),
  pollFloorMs: defaulted('JOB_POLL_FLOOR', duration('1s', '1h'), '2s', {
    sentence:
      'The shortest time between two status checks of a running job. It grows with the age of the job.',
  }),
  pollCeilingMs: defaulted('JOB_POLL_CEILING', duration('1s', '1h'), '30s', {
    sentence: 'The longest time between two status checks of a running job.',
  }),
  submitTimeoutMs: defaulted('JOB_SUBMIT_TIMEOUT', duration('1s', '1m'), '1m', {
    sentence:
      'How long a submission to a provider may take. If the worker dies, the submission is not given up before this time.',
  }),
  checkTimeoutMs: defaulted('JOB_CHECK_TIMEOUT', duration('1s', '10m'), '30s', {
    sentence: 'How long one status check may take.',
  }),
  storeTimeoutMs: defaulted('JOB_STORE_TIMEOUT', duration('10s', '24h'), '15m', {
    sentence: 'How long fetching and storing the finished files may take.',
  }),
  maxOutputBytes: defaulted('MAX_OUTPUT_SIZE', byteSize('1MiB', '1024GiB'), '2GiB', {
    sentence: 'The largest single file taken from a provider.',
  }),
  maxOpenJobs: defaulted('MAX_OPEN_JOBS', wholeNumber(1, 1_000_000), '5000', {
    sentence:
      'How many video jobs of one organization may be open at a time; another is answered with 429. Requests at the same moment may exceed it, by fewer jobs than all APIs together have connections (`DATABASE_POOL_MAX`).',
  }),
  // Not below the largest request body, so that a single job is always accepted.
  maxOpenBytes: defaulted('MAX_OPEN_JOBS_SIZE', byteSize('128MiB', '1024GiB'), '2GiB', {
    sentence:
      "How large the stored requests of one organization's open jobs may be together; another job is answered with 429. A request is deleted when its job ends.",
  }),
  slowClaimMs: defaulted('JOB_SLOW_CLAIM', duration('10ms', '1m'), '150ms', {
    sentence:
      'How long a started job may wait for a worker before fewer jobs are started, so that running jobs stay fast. Set it to a few times the wait on an idle deployment.',
  }),
};

export const webhookVariables = {
  timeoutMs: defaulted('WEBHOOK_TIMEOUT', duration('1s', '60s'), '15s', {
    sentence: 'How long one delivery may take, answer included.',
  }),
  scheduleSeconds: defaulted('WEBHOOK_SCHEDULE_SECONDS', secondsList, WEBHOOK_SCHEDULE_SECONDS.join(','), {
    sentence:
      'The seconds to wait before each attempt, counted from the previous one. There are as many attempts as numbers.',
  }),
};

export const limitVariables = {
  spendingRefreshMs: defaulted('SPENDING_REFRESH', duration('100ms', '1m'), '1s', {
    sentence:
      'How often the API reads what active keys, workspaces and organizations with limits have spent elsewhere. Spending may exceed a limit by the amount that other replicas spend in that time.',
  }),
  rateLimitRequests: optional('RATE_LIMIT_REQUESTS', wholeNumber(1, 10_000), {
    sentence:
      'How many generation requests a key may make in any `RATE_LIMIT_INTERVAL`, over all replicas. A key may have a limit of its own.',
    example: '100',
    unset: 'only keys with a limit of their own are limited',
  }),
  rateLimitIntervalMs: defaulted('RATE_LIMIT_INTERVAL', duration('1s', '1d'), '10s', {
    sentence:
      'The interval of rate limits. It slides: no interval of this length ever contains more requests than the limit.',
  }),
  inFlightOfKey: optional('MAX_IN_FLIGHT_PER_KEY', wholeNumber(1, 1_000_000), {
    sentence:
      'How many requests of one key may be in flight at the same time, from their head to the end of the answer. It counts requests that call upstreams: generations, and those of interns to other hosts. Above it the answer is 429. `API_PROCESSES` divide it.',
    example: '200',
    unset: 'a quarter of the descriptors that a process may open, at most 8192, in each process',
  }),
  inFlightOfOrganization: optional('MAX_IN_FLIGHT_PER_ORGANIZATION', wholeNumber(1, 1_000_000), {
    sentence: 'The same for all keys of one organization together.',
    example: '500',
    unset: 'a quarter of the descriptors that a process may open, at most 8192, in each process',
  }),
};

/**
 * The variables of the local upstream, a vendor that needs no account. It is a separate process, which reads only these
 * and LOG_LEVEL.
 */
export const localUpstreamVariables = {
  host: defaulted('UPSTREAM_HOST', anyText, '127.0.0.1', {
    sentence: 'The address the local upstream listens on. In a container it must be one that others reach.',
    example: '0.0.0.0',
  }),
  port: defaulted('UPSTREAM_PORT', wholeNumber(0, 65_535), '8090', {
    sentence: 'The port the local upstream listens on; 0 takes a free one.',
  }),
};
