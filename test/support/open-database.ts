import {
  createDatabase as createPool,
  type Database as Pool,
  type DatabaseOptions,
} from '../../db/postgres/connection.ts';
import { bridged, type KnexHandle } from './knex-bridge.ts';

export type { DatabaseOptions } from '../../db/postgres/connection.ts';

/** A pool or a transaction with Knex's methods for building statements, each of which runs when it is awaited. */
export type Handle = KnexHandle;

/** A pool of the product, on which tests also set up rows. */
export interface Database extends Pool {
  knex: Handle;
}

export function createDatabase(options: DatabaseOptions): Database {
  const database = createPool(options);
  return { ...database, knex: bridged(database.knex) };
}
