/** Turns a record of the egress log into an entry of the body of `GET /interns/{internId}/egress-log`. */
import type { EgressLogEntry } from '../../contract/interns/egress-log.ts';
import type { EgressRecord } from '../../db/interns/egress-log-store.ts';

export function presentEgressEntry(entry: EgressRecord): EgressLogEntry {
  return {
    created_at: entry.createdAt.toISOString(),
    key_hash: entry.keyHash,
    method: entry.method,
    host: entry.host,
    names: entry.names,
    status: entry.status,
    bytes: entry.bytes,
  };
}
