/** Pushed removals that wait for an administrator, because too many came within an hour. */
export interface RemovalsHeld {
  organizationId: string;
  /** The number of people to be removed. */
  people: number;
  heldSince: Date;
}
