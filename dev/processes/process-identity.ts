import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns the identity of a process: its start time, which distinguishes it from a later process with the same pid.
 * Returns undefined if no such process runs. Reads /proc, or calls `ps` on systems without it.
 */
export function processIdentity(pid: number): string | undefined {
  return existsSync('/proc/self/stat') ? identityFromProc(pid) : identityFromPs(pid);
}

function identityFromProc(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the command in parentheses and may contain spaces; fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return undefined;
  return `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${startTicks}`;
}

function identityFromPs(pid: number): string | undefined {
  const result = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const line = result.stdout.trim();
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}

/** Returns the command line of a running process, or undefined. */
export function commandLine(pid: number): string | undefined {
  if (processIdentity(pid) === undefined) return undefined;
  const raw = readIfThere(`/proc/${pid}/cmdline`);
  if (raw !== undefined) return raw.replaceAll('\0', ' ').trim();
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
