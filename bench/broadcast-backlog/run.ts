/**
 * Measures how fast a separate worker processes a backlog of a million generations for one webhook, and its memory
 * meanwhile. Arguments: generations.
 */
import { readFileSync } from 'node:fs';
import { makeGeneration } from '../../test/support/make-generation.ts';
import { createDatabase } from '../../db/connection.ts';
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { createLedgerStore } from '../../db/ledger/ledger-store.ts';
import { createDestination, startTools } from '../broadcast-steady/tool.ts';
import { startMeasuredGateway } from '../gateway-process.ts';
import { renderTable } from '../table.ts';

const [events = 1_000_000] = process.argv.slice(2).map(Number);
const RECORDED_AT_ONCE = 500;
const SHARDS = 4;
const SAMPLE_EVERY_MS = 1_000;
const MIB = 1024 ** 2;

const tools = await startTools('counting');
const gateway = await startMeasuredGateway();
await createDestination(gateway, 'webhook', tools.url('/webhook'), true);
await record();
process.stdout.write(`${events} generations recorded\n`);

const worker = gateway.startWorker();
const samples: { done: number; bytes: number }[] = [];
let startedAtMs = 0;
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS));
  const done = await tools.count('/webhook');
  if (done === 0) continue;
  startedAtMs ||= performance.now();
  samples.push({ done, bytes: residentBytes(worker) });
  if (done >= events) break;
}
const seconds = (performance.now() - startedAtMs) / 1_000;
const first = samples[0]!.done;
await gateway.close();
tools.close();

const rows = [0.1, 0.25, 0.5, 0.75, 1].map((share) => {
  const upTo = samples.filter(({ done }) => done <= events * share || share === 1);
  const most = Math.max(...upTo.map(({ bytes }) => bytes));
  return [`${share * 100} %`, (most / MIB).toFixed(0), ((upTo.at(-1)?.bytes ?? 0) / MIB).toFixed(0)];
});
process.stdout.write(
  `\n${events} generations, ${((events - first) / seconds).toFixed(0)} a second\n\n${renderTable(['delivered', 'most memory of the worker so far, MiB', 'memory then, MiB'], rows)}\n`,
);

async function record(): Promise<void> {
  const { organizationId, workspaceId, databaseUrl } = gateway;
  const { knex, close } = createDatabase({ url: databaseUrl, poolMax: 1 });
  await createLedgerStore(knex).ensurePartition(new Date());
  await close();
  const connections = Array.from({ length: SHARDS }, (_, shard) =>
    createLedgerConnection({ url: databaseUrl, shard, silenceMs: 60_000 }),
  );
  for (let n = 0; n < events; n += RECORDED_AT_ONCE) {
    const count = Math.min(RECORDED_AT_ONCE, events - n);
    const generations = Array.from({ length: count }, () => makeGeneration({ organizationId, workspaceId }));
    await connections[(n / RECORDED_AT_ONCE) % SHARDS]!.record(generations);
  }
  for (const connection of connections) await connection.close();
}

function residentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
