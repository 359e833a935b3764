import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of `/proc` are hundredths of a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;

interface Process {
  pid: number;
  parent: number;
  name: string;
  cpuMs: number;
}

/**
 * Processor time in milliseconds that the benchmark's own processes have used so far, by program; undefined
 * where there is no `/proc`. Unlike a rate it hardly depends on what else the machine does.
 */
export function cpuByProgram(): Record<string, number> | undefined {
  const processes = listProcesses();
  if (processes === undefined) return undefined;
  const ours = new Set([process.ppid]);
  const totals: Record<string, number> = {};
  // Parents come before their children when sorted by id, except after ids wrapped around.
  for (const { pid, parent, name, cpuMs } of processes.toSorted((a, b) => a.pid - b.pid)) {
    if (!ours.has(parent)) continue;
    ours.add(pid);
    totals[name] = (totals[name] ?? 0) + cpuMs;
  }
  return totals;
}

/** Processor time in milliseconds that a process and its living descendants have used; undefined without `/proc`. */
export function cpuOfTree(pid: number): number | undefined {
  const processes = listProcesses();
  if (processes === undefined) return undefined;
  const tree = new Set([pid]);
  let cpuMs = 0;
  // Parents come before their children when sorted by id, except after ids wrapped around.
  for (const each of processes.toSorted((a, b) => a.pid - b.pid)) {
    if (each.pid !== pid && !tree.has(each.parent)) continue;
    tree.add(each.pid);
    cpuMs += each.cpuMs;
  }
  return cpuMs;
}

/**
 * Processor time in nanoseconds of all threads of one process so far, which is fine enough for a single request; what
 * threads that ended had used is missing. Throws where there is no `/proc`.
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

/** Empty when it ended meanwhile. Fields as in proc(5): 3 state, 4 parent, 14 to 17 the times. */
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

/** Backends of Postgres call themselves `postgres: …`. */
function programOf(name: string): string {
  return name.startsWith('postgres') ? 'postgres' : name;
}
