/** A change of a destination's delivery that its owner should know about. */
export interface DestinationEvent {
  kind: 'paused' | 'disabled' | 'recovered';
  destinationId: string;
  organizationId: string;
  workspaceId: string;
  /** A sentence for people; null when it recovered. */
  reason: string | null;
  /** When the failures began that this event is about. */
  since: Date;
}

/** Returns the id of the event: one of a kind is sent for the same failures. */
export function destinationEventId({ kind, destinationId, since }: DestinationEvent): string {
  return `${destinationId}-${kind}-${since.getTime()}`;
}
