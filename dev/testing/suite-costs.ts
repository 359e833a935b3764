/** Sums what suites cost by folder, and compares the sums with a committed table. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../settings.ts';

/** The cost of a suite, as `test/jest/suite-cost.ts` writes it. */
export interface SuiteCost {
  /** The suite's file. */
  path: string;
  wallMs: number;
  /** The processor time of the suite's process, and of processes that it started and that ended. */
  cpuMs: number;
}

/**
 * The committed table: for each folder of `test/` how many fixed loads its suites cost in a quiet run of
 * `npm run test:all`, rounded up by up to a tenth.
 */
export type CostTable = Record<string, number>;

/** A folder may exceed the table by this much, because processors slow down when they share caches. */
const TOLERANCE = 1.2;
const WHAT_TO_DO = 'Make the tests cheaper, or change test/costs.json and say why.';
/** Smaller folders differ too much from run to run. */
const LEAST_LOADS = 40;

/**
 * Prints the costs of a run by folder. Returns false, and says why, if a folder costs more than the table allows, or if
 * a folder was not measured. `isComplete` says that all folders of the table were to run.
 */
export function reportCosts(
  file: string,
  loadMs: number,
  isComplete: boolean,
  say: (line: string) => void,
): boolean {
  const table = JSON.parse(readFileSync(path.join(ROOT, 'test/costs.json'), 'utf8')) as CostTable;
  const costs = costsByFolder(readSuiteCosts(file), loadMs);
  say(`\nProcessor time by folder, in fixed loads of ${loadMs.toFixed(0)} ms:`);
  say(costLine('folder', 'loads', 'table'));
  for (const [folder, loads] of costs) say(costLine(folder, loads.toFixed(0), String(table[folder] ?? '-')));
  const faults = [...unmeasured(costs, isComplete ? table : {}), ...costFaults(costs, table)];
  for (const fault of faults) say(fault);
  return faults.length === 0;
}

/** Reads the lines of a run's file, but those of suites that a test made elsewhere. */
function readSuiteCosts(file: string): SuiteCost[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const costs = lines.map((line) => JSON.parse(line) as SuiteCost);
  return costs.filter((cost) => cost.path.startsWith(path.join(ROOT, 'test', path.sep)));
}

/** Returns the cost of each folder in fixed loads, dearest first. */
export function costsByFolder(
  costs: readonly SuiteCost[],
  loadMs: number,
): [folder: string, loads: number][] {
  const sums = new Map<string, number>();
  for (const cost of costs) {
    const [, folder = ''] = path.relative(ROOT, cost.path).split(path.sep);
    sums.set(folder, (sums.get(folder) ?? 0) + cost.cpuMs / loadMs);
  }
  return [...sums].toSorted(([, one], [, other]) => other - one);
}

/** Returns a sentence for each expected folder without any cost, and one if nothing was measured at all. */
export function unmeasured(costs: readonly [folder: string, loads: number][], expected: CostTable): string[] {
  if (costs.length === 0) return ['No suite has written its cost.'];
  const measured = new Set(costs.map(([folder]) => folder));
  const missing = Object.keys(expected).filter((folder) => !measured.has(folder));
  return missing.map((folder) => `No suite of test/${folder} has written its cost.`);
}

/** Returns a sentence for each folder that costs over a fifth more than the table allows, or is not in it. */
export function costFaults(costs: readonly [folder: string, loads: number][], table: CostTable): string[] {
  const dear = costs.filter(([folder, loads]) => {
    return loads >= LEAST_LOADS && loads > (table[folder] ?? 0) * TOLERANCE;
  });
  return dear.map(([folder, loads]) => {
    const allowed = table[folder];
    const excess =
      allowed === undefined ? 'and is not in the table' : `and the table allows ${allowed} and a fifth more`;
    return `test/${folder} costs ${Math.round(loads)} loads, ${excess}. ${WHAT_TO_DO}`;
  });
}

function costLine(folder: string, loads: string, allowed: string): string {
  return `  ${folder.padEnd(18)}${loads.padStart(8)}${allowed.padStart(8)}`;
}
