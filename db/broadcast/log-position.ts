/** A position in a workspace's log: the last one that a reader has processed. */
export interface LogPosition {
  shard: number;
  pos: bigint;
  /** A time in the text format of Postgres, with microseconds. */
  movedAt: string;
}

/** The last position of a batch in each of its shards. */
export type BatchEnd = { shard: number; pos: string }[];
