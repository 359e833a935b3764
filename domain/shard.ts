/** The number of rows that a counter is spread over. */
export const SHARDS = 16;

/**
 * Returns the counter shard that a process writes. Processes with different shards do not wait for each other's rows.
 */
export function shardOfProcess(hostname: string, processId: number): number {
  return hash(`${hostname}:${processId}`) % SHARDS;
}

/** Returns the shard of one API process of a host. Sixteen consecutive processes have different shards. */
export function shardOfChild(hostname: string, child: number): number {
  return (hash(hostname) + child) % SHARDS;
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (const char of text) value = Math.imul(value ^ char.charCodeAt(0), 16_777_619);
  return value >>> 0;
}
