/** Tunes V8 so that processes with many open streams hold little garbage. */
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The heap size below which V8 need not collect old objects: twice the heap of an idle process. Large answers leave
 * garbage of megabytes, for which this is room.
 */
const ROOM_BYTES = 96 * 1024 ** 2;
const MIN_PERCENT = 10;
const MAX_PERCENT = 100;

/**
 * Limits the growth of the heap, for processes with many connections. By default V8 lets the heap double before it
 * collects old objects, so with thousands of open streams most of the heap would be garbage. If the limit were small at
 * every heap size, V8 would collect garbage after each large response. The heap may therefore grow freely up to a size,
 * and by a tenth beyond.
 */
export function keepHeapSmall(): void {
  setGrowthLimit(MAX_PERCENT);
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isSweep)) setGrowthLimit(growthAfter(getHeapStatistics().used_heap_size));
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Returns the percentage by which a heap of this size after a collection may grow until the next. */
export function growthAfter(usedBytes: number): number {
  const percent = Math.round((ROOM_BYTES / usedBytes - 1) * 100);
  return Math.min(MAX_PERCENT, Math.max(MIN_PERCENT, percent));
}

/** Sets the growth limit, which V8 applies from the next collection on. */
function setGrowthLimit(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

function isSweep(entry: PerformanceEntry & { detail?: { kind?: number } }): boolean {
  return entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/**
 * Collects all garbage. For the end of a start, which leaves much: a process at rest would keep it, because V8 waits
 * until the heap has doubled.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
