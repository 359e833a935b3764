/** Runs a minimal video job service, the reference for the speed of video jobs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import pg from 'pg';
import type { Gateway } from '../../test/support/gateway.ts';
import { insertReferenceJob, startBareApi } from '../bare-api.ts';
import { createReferenceActivities } from './reference-activities.ts';
import { REFERENCE_SCHEMA } from './reference-schema.ts';

export interface Reference {
  /** The URL for submissions, without a key. */
  url: string;
  /** The URL for eager starts: Temporal gives the first task to a worker in the process that starts the workflow. */
  eagerUrl: string;
  close(): Promise<void>;
}

/**
 * Starts the smallest program with the same I/O. A bare Koa inserts a row and starts a workflow, which has as many
 * activities as the product's and the same child. The workers have the product's settings and separate queues. The
 * program shares the product's Postgres, Temporal namespace, upstream and receiver.
 */
export async function startReference(product: Gateway, receiverUrl: string): Promise<Reference> {
  const database = new pg.Pool({
    connectionString: product.config.database.url,
    max: product.config.database.poolMax,
  });
  await database.query(REFERENCE_SCHEMA);
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-reference-'));
  const workers = await startWorkers(product, receiverUrl, folder, database);
  const insert = insertReferenceJob(database);
  const startApi = (client: Client, requestEagerStart: boolean) =>
    startBareApi(async (body) => {
      const id = await insert(body);
      const workflowId = `reference-${id}`;
      const run = { workflowId, taskQueue: 'reference-video', args: [id], requestEagerStart };
      void client.workflow.start('referenceVideo', run);
      return id;
    });
  const { namespace } = product.config.temporal;
  const api = await startApi(product.temporal, false);
  const eagerApi = await startApi(new Client({ connection: workers.connection, namespace }), true);
  return {
    url: api.url,
    eagerUrl: eagerApi.url,
    async close() {
      await api.close();
      await eagerApi.close();
      await workers.stop();
      await database.end();
      await rm(folder, { recursive: true });
    },
  };
}

async function startWorkers(product: Gateway, receiverUrl: string, folder: string, database: pg.Pool) {
  const connection = await NativeConnection.connect({ address: product.config.temporal.address });
  const local = product.config.providers('local');
  const activities = createReferenceActivities({
    upstreamUrl: local.baseUrl ?? '',
    upstreamKey: local.apiKey ?? '',
    receiverUrl,
    folder,
    database,
  });
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('reference-workflows.ts', import.meta.url)),
    logger: new DefaultLogger('WARN'),
  });
  const shared = { connection, namespace: product.config.temporal.namespace, workflowBundle, activities };
  const workers = await Promise.all([
    Worker.create({ ...shared, taskQueue: 'reference-video', maxConcurrentActivityTaskExecutions: 100 }),
    Worker.create({ ...shared, taskQueue: 'reference-webhooks', maxConcurrentActivityTaskExecutions: 200 }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    connection,
    async stop() {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
