import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/**
 * A page of the audit log, and the count beside it, read what the filter selects and no more. By hashes: a target may
 * be longer than an entry of an index, and a key's is as long as the rest of an entry.
 */
const INDEXES = {
  audit_log_target: 'audit_log (organization_id, hashtextextended(target, 0), created_at desc)',
  audit_log_key: 'audit_log (organization_id, hashtextextended(key_hash, 0), created_at desc)',
  audit_log_action: 'audit_log (organization_id, action, created_at desc)',
};

export const up = (knex: Knex): Promise<void> => buildIndexes(knex, INDEXES);

export const down = (knex: Knex): Promise<void> => dropIndexes(knex, Object.keys(INDEXES));
