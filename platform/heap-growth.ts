import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Twice what a process without work holds: room for the garbage of answers of megabytes, which is swept in one go. */
const ROOM_BYTES = 96 * 1024 ** 2;
const LEAST_PERCENT = 10;
const MOST_PERCENT = 100;

/**
 * For processes that hold many connections. By itself V8 lets the heap double, where the machine has memory, before what
 * is old is swept again: with thousands of open streams most of the process would be garbage that nobody has looked at.
 * Kept from growing whatever its size, it is swept for every picture that is handed on. So it may grow as it likes up
 * to a size, and by a tenth beyond.
 */
export function keepHeapSmall(): void {
  allow(MOST_PERCENT);
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isSweep)) allow(growthAfter(getHeapStatistics().used_heap_size));
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** By how much a heap that holds so much after a sweep may grow until the next, in percent. */
export function growthAfter(usedBytes: number): number {
  const percent = Math.round((ROOM_BYTES / usedBytes - 1) * 100);
  return Math.min(MOST_PERCENT, Math.max(LEAST_PERCENT, percent));
}

/** V8 heeds it from the next sweep on. */
function allow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

function isSweep(entry: PerformanceEntry & { detail?: { kind?: number } }): boolean {
  return entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
