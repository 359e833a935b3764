/** Measures the processor time of benchmarked processes from `/proc`. */
import { readdirSync, readFileSync } from 'node:fs';

/** The clock ticks of `/proc` are hundredths of a second on every Linux that Node supports. */
const MS_PER_TICK = 10;

export interface Process {
  pid: number;
  parent: number;
  name: string;
  cpuMs: number;
}

/**
 * Returns the processor time in milliseconds of the benchmark's processes so far, by program; undefined without
 * `/proc`. Unlike a rate it hardly depends on the machine's other load.
 */
export function cpuByProgram(): Record<string, number> | undefined {
  const processes = listProcesses();
  if (processes === undefined) return undefined;
  const ownPids = new Set([process.ppid]);
  const totals: Record<string, number> = {};
  // Parents come before their children when sorted by id, except after ids wrapped around.
  for (const { pid, parent, name, cpuMs } of processes.toSorted((a, b) => a.pid - b.pid)) {
    if (!ownPids.has(parent)) continue;
    ownPids.add(pid);
    totals[name] = (totals[name] ?? 0) + cpuMs;
  }
  return totals;
}

/** Returns the processor time in milliseconds of a process and its living descendants; undefined without `/proc`. */
export function cpuOfTree(pid: number): number | undefined {
  return treeOf(pid)?.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** Returns a process and its living descendants; undefined without `/proc`. */
export function treeOf(pid: number): Process[] | undefined {
  const tree = new Set([pid]);
  // Parents come before their children when sorted by id, except after ids wrapped around.
  return listProcesses()
    ?.toSorted((a, b) => a.pid - b.pid)
    .filter((each) => {
      const isInTree = each.pid === pid || tree.has(each.parent);
      if (isInTree) tree.add(each.pid);
      return isInTree;
    });
}

/**
 * Returns the processor time in nanoseconds of all living threads of one process, precise enough for a single request.
 * Throws without `/proc`.
 */
export function busyNanosOfProcess(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).reduce((sum, thread) => {
    const [nanos] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanos);
  }, 0);
}

function listProcesses(): Process[] | undefined {
  try {
    return readdirSync('/proc').filter(isPid).flatMap(readProcess);
  } catch {
    return undefined;
  }
}

function isPid(name: string): boolean {
  return /^\d+$/.test(name);
}

/** Reads a process; empty if it has ended. Fields as in proc(5): 3 state, 4 parent, 14 to 17 the times. */
function readProcess(pid: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const nameEnd = stat.lastIndexOf(')');
    const fields = stat.slice(nameEnd + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const name = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]!.split('/').pop()!;
    return [
      { pid: Number(pid), parent: Number(fields[1]), name: programOf(name), cpuMs: ticks * MS_PER_TICK },
    ];
  } catch {
    return [];
  }
}

/** Returns the program of a process. Postgres names its backends `postgres: …`. */
function programOf(name: string): string {
  return name.startsWith('postgres') ? 'postgres' : name;
}
