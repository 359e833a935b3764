import type { Knex } from 'knex';
import { buildIndexes, dropIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

/** People of a directory are recognized by their addresses; the last administrator is looked for at each departure. */
const INDEXES = {
  users_address: 'users (lower(email))',
  organization_members_admins: "organization_members (organization_id) where role = 'org:admin'",
};

export const up = (knex: Knex): Promise<void> => buildIndexes(knex, INDEXES);

export const down = (knex: Knex): Promise<void> => dropIndexes(knex, Object.keys(INDEXES));
