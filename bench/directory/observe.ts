import { readFileSync, writeFileSync } from 'node:fs';

const KIB_PER_MIB = 1_024;

/**
 * Watches the memory of a process. Returns a function that returns the peak of resident MiB since then. Works on Linux
 * only.
 */
export function watchMemory(pid: number): () => number {
  // Resets the high-water mark of resident memory.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return () => mebibytes(pid, 'VmHWM');
}

export function residentMib(pid: number): number {
  return mebibytes(pid, 'VmRSS');
}

function mebibytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kib] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status) ?? [];
  return Math.round(Number(kib) / KIB_PER_MIB);
}
