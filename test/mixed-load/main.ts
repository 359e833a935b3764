/**
 * Drives mixed load against the product in processes of its own, under a seeded schedule of kills, pauses and cuts.
 * Prints every fault as it happens, and at the end everything that was lost. `npm run faults` starts it. Arguments: the
 * seed and the minutes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../support/eventually.ts';
import { providerJobs } from '../support/provider-jobs.ts';
import { findLosses } from './find-losses.ts';
import { type Load, startLoad } from './load.ts';
import { type Fault, makeSchedule } from './schedule.ts';
import { type Stack, startStack } from './stack.ts';
import { strike } from './strike.ts';

const REPORT_EVERY_MS = 10_000;
/** How long the stack may take, once nothing disturbs it, to finish everything that it accepted. */
const FINISHES_WITHIN_MS = 300_000;
const SHOWN_LOSSES = 30;
/** Answers that callers get after a fault before the next one of its lane, so that it meets a stack that works. */
const ANSWERS_BETWEEN = 10;
const RECOVERS_WITHIN_MS = 60_000;
/** On a machine that is too slow for the schedule, faults end after so many times the minutes. */
const LONGEST_STRETCH = 2;

const [seed = 0, minutes = 0] = process.argv.slice(2).map(Number);
const repeat = `npm run faults -- --seed ${seed} --minutes ${minutes}`;
let startedAt = Date.now();

console.log(`Mixed load under faults for ${minutes} minutes. To repeat its schedule: ${repeat}`);
const stack = await startStack(say);
const load = await startLoad(stack);
const progress = setInterval(() => say(`  ${numbersOf(load)}`), REPORT_EVERY_MS);

await untilLoadRuns(load);
startedAt = Date.now();
const schedule = makeSchedule(seed, minutes);
const tried = (await Promise.all(schedule.map((lane) => runLane(stack, load, lane)))).flat();
const leftOut = schedule.flat().length - tried.length;
if (leftOut > 0) say(`${leftOut} faults are left out: this machine is too busy`);
say('no more faults; waiting until everything that was accepted has ended');
await load.stop();
const losses = [...(await unfinished(stack, load)), ...load.jobs.refusals, ...(await lossesOf(stack, load))];
clearInterval(progress);
await Promise.all([stack.close(), load.close()]);

console.log(`\nTried: ${tried.length} faults, on ${numbersOf(load)}.`);
for (const [kind, faults] of Map.groupBy(tried, ({ act, target }) => `${act} ${target}`))
  console.log(`  ${String(faults.length).padStart(3)} × ${kind}`);
console.log(losses.length === 0 ? 'Lost: nothing.' : `LOST, ${losses.length} in all:`);
for (const loss of losses.slice(0, SHOWN_LOSSES)) console.log(`  - ${loss}`);
console.log(`To repeat this schedule: ${repeat}\n`);
process.exit(losses.length === 0 ? 0 : 1);

async function untilLoadRuns({ live, webhookIds }: Load): Promise<void> {
  const runs = async () => (live.received.size > 0 && webhookIds().length > 0 ? true : undefined);
  await eventually('the first answers and webhooks', runs).catch((error: unknown) => {
    throw new Error(`the load does not run: ${String(live.failures.at(-1))}`, { cause: error });
  });
}

function say(text: string): void {
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  console.log(`  ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}  ${text}`);
}

function numbersOf({ live, jobs, webhookIds }: Load): string {
  const answers = `${live.received.size} answers, ${live.failures.length} failed requests`;
  return `${answers}, ${jobs.accepted.size} jobs accepted, ${new Set(webhookIds()).size} of their webhooks`;
}

/** Returns the faults that it brought about. */
async function runLane(on: Stack, { live }: Load, lane: Fault[]): Promise<Fault[]> {
  for (const [n, fault] of lane.entries()) {
    await delay(Math.max(0, startedAt + fault.atMs - Date.now()));
    if (Date.now() - startedAt > LONGEST_STRETCH * minutes * 60_000) return lane.slice(0, n);
    const { act, target, index, forMs } = fault;
    say(`${act} ${target} ${index} for ${(forMs / 1_000).toFixed(1)} s`);
    await strike(on, fault);
    const before = live.received.size;
    const recovers = async () => (live.received.size >= before + ANSWERS_BETWEEN ? true : undefined);
    await eventually('answers after the fault', recovers, RECOVERS_WITHIN_MS).catch(() => {
      say(`no ${ANSWERS_BETWEEN} answers since that fault, which may be the other lane's doing`);
    });
  }
  return lane;
}

/** Waits until every accepted job has brought its webhook and nothing is spooled; returns what did not come. */
async function unfinished(
  { databaseUrl, spooledFiles }: Stack,
  { jobs, webhookIds }: Load,
): Promise<string[]> {
  const database = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const isFinished = async (): Promise<true | undefined> => {
    if (new Set(webhookIds()).size < jobs.accepted.size || (await spooledFiles()) > 0) return undefined;
    const { rowCount } = await database.query(
      `select from video_jobs j left join webhook_deliveries d on d.job_id = j.id
       where j.status in ('pending', 'in_progress') or d.status is distinct from 'delivered' limit 1`,
    );
    return rowCount === 0 ? true : undefined;
  };
  try {
    await eventually('the end of everything that was accepted', isFinished, FINISHES_WITHIN_MS);
    return [];
  } catch (error) {
    return [String(error)];
  } finally {
    await database.end();
  }
}

async function lossesOf(
  { databaseUrl, gateway }: Stack,
  { jobs, live, webhookIds }: Load,
): Promise<string[]> {
  const database = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const seen = {
    acceptedJobs: jobs.accepted,
    answeredGenerations: live.received,
    webhookIds: webhookIds(),
    providerJobs: await providerJobs(gateway),
  };
  return findLosses(database, databaseUrl, seen).finally(() => database.end());
}
