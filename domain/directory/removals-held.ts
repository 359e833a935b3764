/** Pushed removals that wait for an administrator, because too many came within an hour. */
export interface RemovalsHeld {
  organizationId: string;
  /** How many people's removals are held. */
  people: number;
  heldSince: Date;
}
