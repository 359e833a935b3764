/** A change of a destination's delivery that is reported to its owner. */
export interface DestinationEvent {
  kind: 'paused' | 'disabled' | 'recovered';
  destinationId: string;
  organizationId: string;
  workspaceId: string;
  /** A sentence for people; null when it recovered. */
  reason: string | null;
  /** The start of the failures that the event reports. */
  since: Date;
}

/** Returns the id of the event. Each kind is sent once for the same series of failures. */
export function destinationEventId({ kind, destinationId, since }: DestinationEvent): string {
  return `${destinationId}-${kind}-${since.getTime()}`;
}
