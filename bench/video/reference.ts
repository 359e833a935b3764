import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import pg from 'pg';
import type { Gateway } from '../../test/support/gateway.ts';
import { insertReferenceJob, startBareApi } from '../bare-api.ts';
import { createReferenceActivities } from './reference-activities.ts';
import { REFERENCE_SCHEMA } from './reference-schema.ts';

export interface Reference {
  /** Where a job is submitted, without a key. */
  url: string;
  close(): Promise<void>;
}

/**
 * The smallest thing that does the same I/O: a bare Koa that inserts a row and starts a workflow of as many
 * activities with the same child, on workers with the product's own settings and queues of their own. It
 * shares the product's Postgres, Temporal namespace, upstream and receiver.
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
  const api = await startBareApi(async (body) => {
    const id = await insert(body);
    void product.temporal.workflow.start('referenceVideo', {
      workflowId: `reference-${id}`,
      taskQueue: 'reference-video',
      args: [id],
    });
    return id;
  });
  return {
    url: api.url,
    async close() {
      await api.close();
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
    async stop() {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
