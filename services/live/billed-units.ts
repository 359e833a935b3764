/** Bills pictures and speech by the units that providers report, and tells which of these bills are unusual. */
import type { Amount } from '../../domain/amount.ts';
import {
  type LiveUnits,
  type UnitBasis,
  type UnitsFlag,
  unitsFlagOf,
  unitsOf,
} from '../../domain/catalog/live-units.ts';

/** A bill by units that is far from the catalog's estimate, or whose units the provider did not report. */
export interface UnusualBill {
  flag: UnitsFlag;
  reported: Amount | undefined;
  estimate: Amount;
}

/** The units that are billed, and whether the bill is unusual. */
export interface BilledUnits {
  billableUnits: number;
  unusual?: UnusualBill | undefined;
}

/** Returns the units of an answer: those that the provider reported, or else the documented number. */
export function billUnits(
  { usual, most }: LiveUnits,
  basis: UnitBasis,
  reported: Amount | undefined,
): BilledUnits {
  const estimate = unitsOf(usual ?? most, basis);
  const flag = unitsFlagOf(reported, estimate);
  return {
    billableUnits: Number(reported ?? estimate),
    unusual: flag === null ? undefined : { flag, reported, estimate },
  };
}
