/** How many rows a counter is spread over. */
export const SHARDS = 16;

/** Returns the shard of the counters that a process writes, so that processes rarely wait for each other's rows. */
export function shardOfProcess(hostname: string, processId: number): number {
  return hash(`${hostname}:${processId}`) % SHARDS;
}

/** Returns the shard of one of the API processes of a host. Sixteen in a row have different ones, and keep them. */
export function shardOfChild(hostname: string, child: number): number {
  return (hash(hostname) + child) % SHARDS;
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (const char of text) value = Math.imul(value ^ char.charCodeAt(0), 16_777_619);
  return value >>> 0;
}
