import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Twice the heap of an idle process: room for the garbage of answers of megabytes, which is collected at once. */
const ROOM_BYTES = 96 * 1024 ** 2;
const LEAST_PERCENT = 10;
const MOST_PERCENT = 100;

/**
 * Limits the growth of the heap, for processes with many connections. By default V8 lets the heap double before it
 * collects old objects; with thousands of open streams most of the heap would be garbage. A fixed limit would collect
 * for every picture that is passed on. The heap may therefore grow freely up to a size, and by a tenth beyond.
 */
export function keepHeapSmall(): void {
  allow(MOST_PERCENT);
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isSweep)) allow(growthAfter(getHeapStatistics().used_heap_size));
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Returns the percentage by which a heap of this size after a collection may grow until the next. */
export function growthAfter(usedBytes: number): number {
  const percent = Math.round((ROOM_BYTES / usedBytes - 1) * 100);
  return Math.min(MOST_PERCENT, Math.max(LEAST_PERCENT, percent));
}

/** Sets the growth limit, which V8 applies from the next collection on. */
function allow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

function isSweep(entry: PerformanceEntry & { detail?: { kind?: number } }): boolean {
  return entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
