/**
 * Runs `npm run bench -- memory [REST_SECONDS]`: starts the laptop stack in a new data folder three times, waits until
 * it rests, and prints the time to ready and the memory of each process. The first start is cold; the others are warm.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePorts } from '../../dev/ports.ts';
import { ROOT } from '../../dev/settings.ts';
import { treeOf, type Process } from '../cpu.ts';
import { renderTable } from '../table.ts';

const STARTS = ['cold', 'warm', 'warm'];
const restMs = Number(process.argv[2] ?? 60) * 1000;

/** The memory of a process in MiB. Unlike `rss`, `pss` counts a page that several processes share only once. */
interface Memory {
  pss: number;
  rss: number;
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'sluice-memory-'));
try {
  const env = await environment();
  for (const kind of STARTS) await measureStart(kind, env);
} finally {
  rmSync(dataDir, { recursive: true });
}

async function environment(): Promise<NodeJS.ProcessEnv> {
  const ports = await findFreePorts(5);
  const variables = ['PORT', 'UPSTREAM_PORT', 'POSTGRES_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT'];
  return {
    ...process.env,
    ...Object.fromEntries(variables.map((name, index) => [name, String(ports[index])])),
    DATA_DIR: dataDir,
    // As in `npm start`, but without what earlier starts of this checkout have compiled.
    NODE_COMPILE_CACHE: path.join(dataDir, 'compiled'),
  };
}

async function measureStart(kind: string, env: NodeJS.ProcessEnv): Promise<void> {
  const startedAt = performance.now();
  const stack = spawn(process.execPath, [path.join(ROOT, 'dev/start.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(stack, 'exit');
  try {
    for await (const chunk of stack.stdout.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes('Sluice is running')) break;
    }
    if (stack.exitCode !== null) throw new Error(`The stack ended with exit code ${stack.exitCode}.`);
    stack.stdout.resume();
    const seconds = (performance.now() - startedAt) / 1000;
    await delay(restMs);
    printMemory(`${kind} start, ready after ${seconds.toFixed(1)} s`, stack.pid!);
  } finally {
    stack.kill('SIGINT');
    await ended;
  }
}

function printMemory(title: string, pid: number): void {
  const byName = new Map<string, Memory>();
  for (const each of treeOf(pid) ?? []) {
    const memory = memoryOf(each.pid);
    for (const name of [nameOf(each), 'all']) {
      const sum = byName.get(name) ?? { pss: 0, rss: 0 };
      byName.set(name, { pss: sum.pss + memory.pss, rss: sum.rss + memory.rss });
    }
  }
  const rows = [...byName].toSorted(([, a], [, b]) => a.pss - b.pss);
  const cells = rows.map(([name, { pss, rss }]) => [name, pss.toFixed(0), rss.toFixed(0)]);
  process.stdout.write(`\n${renderTable([title, 'PSS, MiB', 'RSS, MiB'], cells)}\n`);
}

/** Returns the script of a Node process, or else the program. */
function nameOf({ pid, name }: Process): string {
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const script = args.find((arg) => arg.startsWith(ROOT) && arg.endsWith('.ts'));
  return script === undefined ? name : path.relative(ROOT, script);
}

function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mib = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1]) / 1024;
  return { pss: mib('Pss'), rss: mib('Rss') };
}
