/** A position in one shard of a workspace's log: of an entry, or of the last entry that a destination has processed. */
export interface LogPosition {
  shard: number;
  pos: bigint;
  /**
   * The time of this position, as text of Postgres with microseconds. It tells which partitions may hold the next row.
   */
  movedAt: string;
}

/** The last position of a batch in each of its shards. */
export type BatchEnd = { shard: number; pos: string }[];
