import { parseArgs } from 'node:util';
import { Client } from '@temporalio/client';
import type { Handle } from '../db/postgres/connection.ts';
import {
  createWebhookStore,
  type WebhookAttempt,
  type WebhookDelivery,
} from '../db/webhooks/webhook-store.ts';
import { AppError } from '../domain/errors.ts';
import { UUID_PATTERN } from '../domain/ids.ts';
import { webhookScheduleOf } from '../domain/runs.ts';
import type { Config } from '../platform/config.ts';
import { connectTemporal } from '../platform/temporal.ts';
import { createRunStarter } from '../services/runs/run-starter.ts';
import { replayDelivery, type ReplayedDelivery } from '../services/webhooks/webhook-service.ts';
import { pickVerb, positionalsOf, wrongUsage, AdminUsageError } from './arguments.ts';
import { formatTable } from './table.ts';

export const WEBHOOKS_USAGE = `webhooks list --job JOB
webhooks replay DELIVERY
webhooks replay --job JOB`;

type ReplayConfig = Pick<Config, 'temporal' | 'webhooks'>;

/**
 * Runs `admin webhooks …` over all organizations. `loadReplay` returns the settings that only a replay needs. Returns
 * the text to print.
 */
export async function runWebhooks(
  knex: Handle,
  loadReplay: () => ReplayConfig,
  args: string[],
): Promise<string> {
  const { values, positionals } = parseArgs({
    args,
    options: { job: { type: 'string' } },
    allowPositionals: true,
  });
  const [verb, rest] = pickVerb('webhooks', ['list', 'replay'], positionals);
  const [deliveryId] = positionalsOf('webhooks', verb === 'list' ? [] : ['[DELIVERY]'], rest);
  if (verb === 'list' && values.job === undefined) throw wrongUsage('webhooks', '--job is missing');
  if ((deliveryId === undefined) === (values.job === undefined)) {
    throw wrongUsage('webhooks', 'replay needs either DELIVERY or --job JOB');
  }
  const delivery = await findDelivery(knex, deliveryId, values.job);
  return verb === 'list' ? showDelivery(knex, delivery) : replay(loadReplay(), knex, delivery);
}

/** Returns the delivery with the id, or the delivery of the job. A job without a callback URL has none. */
async function findDelivery(
  knex: Handle,
  deliveryId: string | undefined,
  jobId: string | undefined,
): Promise<WebhookDelivery> {
  const store = createWebhookStore(knex);
  if (jobId !== undefined) {
    const delivery = await store.findByJob(jobId);
    if (delivery === null) throw new AdminUsageError('There is no delivery for this job.');
    return delivery;
  }
  const isId = deliveryId !== undefined && UUID_PATTERN.test(deliveryId);
  const delivery = isId ? await store.find(deliveryId) : null;
  if (delivery === null) throw new AdminUsageError('There is no delivery with this id.');
  return delivery;
}

async function showDelivery(knex: Handle, delivery: WebhookDelivery): Promise<string> {
  const attempts = await createWebhookStore(knex).attemptsOf([delivery.id]);
  const { id, jobId, eventType, status, replays, url } = delivery;
  return [
    formatTable(
      ['delivery', 'job', 'event', 'status', 'replays', 'url'],
      [[id, jobId ?? '-', eventType, status, String(replays), url]],
    ),
    formatTable(
      ['replay', 'attempt', 'started at', 'outcome', 'status', 'reason'],
      attempts.map(attemptCells),
    ),
  ].join('\n\n');
}

function attemptCells({ replay, attempt, startedAt, outcome, statusCode, reason }: WebhookAttempt): string[] {
  const status = statusCode === null ? '-' : String(statusCode);
  return [String(replay), String(attempt), startedAt.toISOString(), outcome, status, reason ?? ''];
}

/** Replays a delivery as the API does, but for an operator instead of a management key. */
async function replay(config: ReplayConfig, knex: Handle, delivery: WebhookDelivery): Promise<string> {
  const { temporal, webhooks } = config;
  // Connects lazily: if Temporal is down, the sweep starts the delivery.
  const connection = await connectTemporal(temporal, { lazy: true });
  const runs = createRunStarter({ client: new Client({ connection, namespace: temporal.namespace }) });
  const schedule = webhookScheduleOf(webhooks.scheduleSeconds);
  const actor = { organizationId: delivery.organizationId };
  try {
    return replayReport(await replayDelivery({ knex, runs, schedule }, actor, delivery.id));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    throw new AdminUsageError(`${delivery.id} is still being attempted; there is nothing to replay.`);
  } finally {
    await connection.close();
  }
}

function replayReport({ delivery, startError }: ReplayedDelivery): string {
  const what = `Replay ${delivery.replays} of ${delivery.id} (${delivery.eventId})`;
  return startError === undefined
    ? `${what} is started.`
    : `${what} is recorded, but Temporal did not start it. The worker's sweep starts it once Temporal answers.`;
}
