/** Declares the environment variables of video jobs, webhooks and the local upstream. */
import { WEBHOOK_SCHEDULE_SECONDS } from '../domain/runs.ts';
import { anyText, byteSize, duration, secondsList, wholeNumber } from './config-rules.ts';
import { defaulted } from './config-variable.ts';

export const jobVariables = {
  OUTPUT_RETENTION: defaulted(duration('1m', '3650d'), '7d', {
    sentence: 'How long the files of a completed job are kept.',
  }),
  VIDEO_JOB_RETENTION: defaulted(duration('1d', '3650d'), '90d', {
    sentence:
      'How long a video job is kept after it ended, with its submissions, webhook deliveries and attempts. It stays longer while its generation or one of its files is kept.',
  }),
  SIGNED_URL_LIFETIME: defaulted(duration('10s', '1h'), '1h', {
    sentence: 'The longest time that a signed URL works. Each read of the job returns new ones.',
  }),
  JOB_PENDING_DEADLINE: defaulted(duration('1s', '7d'), '24h', {
    sentence: 'How long an accepted job may wait for its submission before it expires.',
  }),
  JOB_POLL_FLOOR: defaulted(duration('1s', '1h'), '2s', {
    sentence:
      'The shortest time between two status checks of a running job. It grows with the age of the job.',
  }),
  JOB_POLL_CEILING: defaulted(duration('1s', '1h'), '30s', {
    sentence: 'The longest time between two status checks of a running job.',
  }),
  JOB_SUBMIT_TIMEOUT: defaulted(duration('1s', '1m'), '1m', {
    sentence:
      'How long a submission to a provider may take. If the worker dies, the submission is not given up before this time.',
  }),
  JOB_CHECK_TIMEOUT: defaulted(duration('1s', '10m'), '30s', {
    sentence: 'How long one status check may take.',
  }),
  JOB_STORE_TIMEOUT: defaulted(duration('10s', '24h'), '15m', {
    sentence: 'How long fetching and storing the finished files may take.',
  }),
  MAX_OUTPUT_SIZE: defaulted(byteSize('1MiB', '1024GiB'), '2GiB', {
    sentence: 'The largest single file taken from a provider.',
  }),
  MAX_OPEN_JOBS: defaulted(wholeNumber(1, 1_000_000), '5000', {
    sentence:
      'How many video jobs of one organization may be open at a time; another is answered with 429. Requests at the same moment may exceed it, by fewer jobs than all APIs together have connections (`DATABASE_POOL_MAX`).',
  }),
  // Not below the largest request body, so that a single job is always accepted.
  MAX_OPEN_JOBS_SIZE: defaulted(byteSize('128MiB', '1024GiB'), '2GiB', {
    sentence:
      "How large the stored requests of one organization's open jobs may be together; another job is answered with 429. A request is deleted when its job ends.",
  }),
  JOB_SLOW_CLAIM: defaulted(duration('10ms', '1m'), '150ms', {
    sentence:
      'How long a started job may wait for a worker before fewer jobs are started, so that running jobs stay fast. Set it to a few times the wait on an idle deployment.',
  }),
};

export const webhookVariables = {
  WEBHOOK_TIMEOUT: defaulted(duration('1s', '60s'), '15s', {
    sentence: 'How long one delivery may take, answer included.',
  }),
  WEBHOOK_SCHEDULE_SECONDS: defaulted(secondsList, WEBHOOK_SCHEDULE_SECONDS.join(','), {
    sentence:
      'The seconds to wait before each attempt, counted from the previous one. There are as many attempts as numbers.',
  }),
};

/**
 * The variables of the local upstream, a vendor that needs no account. It is a separate process, which reads only these
 * and LOG_LEVEL.
 */
export const localUpstreamVariables = {
  UPSTREAM_HOST: defaulted(anyText, '127.0.0.1', {
    sentence: 'The address the local upstream listens on. In a container it must be one that others reach.',
    example: '0.0.0.0',
  }),
  UPSTREAM_PORT: defaulted(wholeNumber(0, 65_535), '8090', {
    sentence: 'The port the local upstream listens on; 0 takes a free one.',
  }),
};
