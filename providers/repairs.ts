/** Names what the gateway repairs in the answers of vendors that bend their wire. */

/** The kinds of repairs, which operators see in metrics. */
export const REPAIRS = [
  'tool_calls',
  'finish_reason',
  'content',
  'usage',
  'embedding',
  'picture_url',
  'stream_options',
  'retry_after',
] as const;
export type Repair = (typeof REPAIRS)[number];

/** Counts a repair. */
export type NoteRepair = (repair: Repair) => void;

/** Returns the function that counts the repairs of a call. */
export function noteOf({ noteRepair = ignore }: { noteRepair?: NoteRepair }): NoteRepair {
  return noteRepair;
}

function ignore(): void {}
