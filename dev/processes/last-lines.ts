import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES = 8192;

/** Returns the last lines of a log without reading the rest; an empty list if it cannot be read. */
export function lastLines(file: string, count: number): string[] {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return [];
  }
  try {
    const start = Math.max(0, fstatSync(descriptor).size - TAIL_BYTES);
    const buffer = Buffer.alloc(TAIL_BYTES);
    const bytes = readSync(descriptor, buffer, 0, TAIL_BYTES, start);
    return buffer.toString('utf8', 0, bytes).trimEnd().split('\n').slice(-count).filter(Boolean);
  } finally {
    closeSync(descriptor);
  }
}
