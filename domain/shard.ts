/** How many rows a counter is spread over. */
export const SHARDS = 16;

/** The shard of the counters that a process writes, so that processes do not wait for each other's rows. */
export function shardOfProcess(hostname: string, processId: number): number {
  let hash = 2_166_136_261;
  for (const char of `${hostname}:${processId}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
  return (hash >>> 0) % SHARDS;
}
