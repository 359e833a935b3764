/** A place in the log of a workspace: the last position that a reader is done with. */
export interface LogPosition {
  shard: number;
  pos: bigint;
  /** As Postgres writes it, to the microsecond. */
  movedAt: string;
}

/** The last position of a batch in each of its shards. */
export type BatchEnd = { shard: number; pos: string }[];
