import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { PostgresDownError } from '../../../db/postgres/outage.ts';
import { AppError } from '../../../domain/errors.ts';
import type { JobStatus } from '../../../domain/videos/job.ts';
import type { VideoJob } from '../../../domain/videos/video-job.ts';
import { createJobWatch, type JobWatch } from '../../../services/videos/job-watch.ts';
import { pendingVideo } from '../../api/support/sample-video.ts';

/** The jobs of the test, by id; those that are not named are pending. */
let rows: Record<string, JobStatus>;
let lookups: string[][];
let answerLookup: (jobIds: string[]) => Promise<Pick<VideoJob, 'id' | 'status'>[]>;
let readings: number;
const warn = jest.fn();

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  [rows, lookups, readings] = [{}, [], 0];
  answerLookup = async (jobIds) => jobIds.map((id) => ({ id, status: rows[id] ?? 'pending' }));
  warn.mockClear();
});
afterEach(() => void jest.useRealTimers());

async function watchJobs({ listening = true } = {}): Promise<JobWatch> {
  const watch = createJobWatch({
    statuses: (jobIds) => {
      lookups.push(jobIds);
      return answerLookup(jobIds);
    },
    logger: { warn },
  });
  if (listening) watch.connected();
  await settle();
  return watch;
}

async function read(id: string): Promise<VideoJob> {
  readings += 1;
  return { ...pendingVideo, id, status: rows[id] ?? 'pending' };
}

/** Waits as a caller does, and shows the status that the caller is answered, once it is. */
function waitAs(watch: JobWatch, id: string, leaving = new AbortController()) {
  const caller: { answer?: string } = {};
  const waiting = watch.wait(id, () => read(id), { waitMs: 25_000, gone: leaving.signal });
  waiting.then(
    ({ status }) => (caller.answer = status),
    (error: unknown) => (caller.answer = error instanceof AppError ? error.code : String(error)),
  );
  return caller;
}

function change(watch: JobWatch, id: string, status: JobStatus): void {
  rows[id] = status;
  watch.noticed(`${id} ${status}`);
}

/** Lets promises settle. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('a caller who waits for a job', () => {
  test('receives the new status when its job changes', async () => {
    const watch = await watchJobs();
    const caller = waitAs(watch, 'a');
    await settle();
    change(watch, 'b', 'completed');
    await settle();
    expect(caller.answer).toBeUndefined();
    change(watch, 'a', 'in_progress');
    await settle();
    expect(caller.answer).toBe('in_progress');
    expect(readings).toBe(2);
  });

  test('receives the answer at once when the job has ended', async () => {
    rows['a'] = 'failed';
    const caller = waitAs(await watchJobs(), 'a');
    await settle();
    expect(caller.answer).toBe('failed');
    expect(readings).toBe(1);
  });

  test('receives no answer for a notice of the known status or an older one', async () => {
    rows['a'] = 'in_progress';
    const watch = await watchJobs();
    const caller = waitAs(watch, 'a');
    await settle();
    watch.noticed('a in_progress');
    watch.noticed('a pending');
    watch.noticed('a nonsense');
    watch.noticed('');
    await settle();
    expect(caller.answer).toBeUndefined();
  });

  test('receives a change that happens while the job is read', async () => {
    const watch = await watchJobs();
    const reading = Promise.withResolvers<VideoJob>();
    const answers = [reading.promise, Promise.resolve({ ...pendingVideo, status: 'completed' as const })];
    const waiting = watch.wait('a', () => answers.shift()!, {
      waitMs: 25_000,
      gone: new AbortController().signal,
    });
    watch.noticed('a in_progress');
    watch.noticed('a completed');
    reading.resolve({ ...pendingVideo, status: 'in_progress' });
    expect(await waiting).toMatchObject({ status: 'completed' });
  });

  test('receives a fresh reading when the wait is over', async () => {
    const waiting = waitAs(await watchJobs(), 'a');
    await jest.advanceTimersByTimeAsync(24_999);
    expect(waiting.answer).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(waiting.answer).toBe('pending');
    expect(readings).toBe(2);
  });

  test('costs no query while notices arrive', async () => {
    const watch = await watchJobs();
    waitAs(watch, 'a');
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lookups).toEqual([]);
    expect(readings).toBe(1);
  });

  test('stops its wait without effect on others when it disconnects', async () => {
    const watch = await watchJobs({ listening: false });
    const leaving = new AbortController();
    const [caller, other] = [waitAs(watch, 'a', leaving), waitAs(watch, 'a')];
    await settle();
    leaving.abort();
    await settle();
    expect([caller.answer, other.answer]).toEqual(['client_cancelled', undefined]);
    change(watch, 'a', 'completed');
    await settle();
    expect(other.answer).toBe('completed');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(lookups).toEqual([]);
  });

  test('receives client_cancelled when it left before the job was read', async () => {
    const leaving = new AbortController();
    leaving.abort();
    const caller = waitAs(await watchJobs(), 'a', leaving);
    await settle();
    expect(caller.answer).toBe('client_cancelled');
  });
});

describe('the lookup during a loss of notices', () => {
  test('asks once a second for the jobs of thousands of callers', async () => {
    const watch = await watchJobs({ listening: false });
    const ids = Array.from({ length: 3_000 }, (_, n) => `job-${n}`);
    const callers = [...ids, ...ids].map((id) => waitAs(watch, id));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(lookups).toEqual([ids, ids]);
    rows['job-7'] = 'in_progress';
    await jest.advanceTimersByTimeAsync(1_000);
    expect(lookups).toHaveLength(3);
    const answered = callers.flatMap(({ answer }, n) => (answer === undefined ? [] : [[n, answer]]));
    expect(answered).toEqual([
      [7, 'in_progress'],
      [3_007, 'in_progress'],
    ]);
    watch.stop();
    await settle();
  });

  test('runs from the loss of the connection until one lookup after its return', async () => {
    const watch = await watchJobs();
    const caller = waitAs(watch, 'a');
    await settle();
    watch.lost();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(lookups).toHaveLength(1);
    rows['a'] = 'completed';
    watch.connected();
    await settle();
    expect(caller.answer).toBe('completed');
    expect(lookups).toHaveLength(2);
    waitAs(watch, 'b');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(lookups).toHaveLength(2);
  });

  test("repeats after the connection's return until it succeeds", async () => {
    const watch = await watchJobs({ listening: false });
    const caller = waitAs(watch, 'a');
    const usual = answerLookup;
    answerLookup = () => Promise.reject(new PostgresDownError(new Error('refused')));
    rows['a'] = 'completed';
    watch.connected();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(caller.answer).toBeUndefined();
    answerLookup = usual;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(caller.answer).toBe('completed');
  });

  test("runs again when it began before the connection's return", async () => {
    const watch = await watchJobs({ listening: false });
    const caller = waitAs(watch, 'a');
    const slow = Promise.withResolvers<Pick<VideoJob, 'id' | 'status'>[]>();
    const quick = answerLookup;
    answerLookup = () => slow.promise;
    await jest.advanceTimersByTimeAsync(1_000);
    rows['a'] = 'completed';
    watch.connected();
    answerLookup = quick;
    slow.resolve([{ id: 'a', status: 'pending' }]);
    await settle();
    expect(caller.answer).toBe('completed');
  });

  test('answers nobody with an older status than the caller has', async () => {
    rows['a'] = 'in_progress';
    const watch = await watchJobs({ listening: false });
    answerLookup = async () => [{ id: 'a', status: 'pending' }];
    const caller = waitAs(watch, 'a');
    await jest.advanceTimersByTimeAsync(3_000);
    expect(lookups).toHaveLength(3);
    expect(caller.answer).toBeUndefined();
    watch.stop();
  });

  test('continues after a failure and logs it unless Postgres is away', async () => {
    const watch = await watchJobs({ listening: false });
    const failures = [new PostgresDownError(new Error('refused')), new Error('broken')];
    const works = answerLookup;
    answerLookup = (jobIds) => {
      const failure = failures.shift();
      return failure === undefined ? works(jobIds) : Promise.reject(failure);
    };
    const caller = waitAs(watch, 'a');
    await settle();
    rows['a'] = 'cancelled';
    await jest.advanceTimersByTimeAsync(1_000);
    expect(warn).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(warn).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(caller.answer).toBe('cancelled');
  });
});

describe('the stop of the process', () => {
  test('answers all waiting and later callers at once without another reading', async () => {
    const watch = await watchJobs();
    const callers = Array.from({ length: 5_000 }, (_, n) => waitAs(watch, `job-${n % 2_500}`));
    await settle();
    watch.stop();
    await settle();
    expect(callers.filter(({ answer }) => answer === 'pending')).toHaveLength(5_000);
    expect(readings).toBe(5_000);
    const late = waitAs(watch, 'late');
    await settle();
    expect(late.answer).toBe('pending');
    expect(jest.getTimerCount()).toBe(0);
  });
});
