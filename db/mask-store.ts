/** Pages through sealed secrets that have a mask beside them, and replaces the masks. */
import type { Handle } from './postgres/connection.ts';
import { type RowOf, text, uuid } from './postgres/shape.ts';
import { rowsOf, run } from './postgres/statement.ts';

/** A secret with what its mask depends on: the type of its destination, or the adapter of its provider. */
const MASKED_SECRET = { id: uuid, kind: text, sealed: text };
export type MaskedSecret = RowOf<typeof MASKED_SECRET>;

/** The mask of a secret as it was read. */
export interface NewMask {
  id: string;
  sealed: string;
  mask: string;
}

const DESTINATIONS = {
  page: `select id, type kind, config_sealed sealed from observability_destinations
         where id > :after order by id limit :limit`,
  replace: `update observability_destinations row set config_shown = new.mask::jsonb
            from jsonb_to_recordset(:masks::jsonb) as new (id uuid, sealed text, mask text)
            where row.id = new.id and row.config_sealed = new.sealed and row.config_shown <> new.mask::jsonb`,
};

const CREDENTIALS = {
  page: `select id, adapter kind, sealed from byok_credentials
         join providers on providers.slug = byok_credentials.provider_slug
         where id > :after order by id limit :limit`,
  replace: `update byok_credentials row set label = new.mask
            from jsonb_to_recordset(:masks::jsonb) as new (id uuid, sealed text, mask text)
            where row.id = new.id and row.sealed = new.sealed and row.label <> new.mask`,
};

/** Reads secrets in pages and replaces their masks. */
export interface MaskStore {
  /** Returns the next secrets after the given id. */
  page(after: string, limit: number): Promise<MaskedSecret[]>;
  /** Replaces masks that differ, unless the secret has changed meanwhile. Returns their number. */
  replace(masks: readonly NewMask[]): Promise<number>;
}

/** Stores the masked settings of destinations, as JSON. */
export function createDestinationMaskStore(handle: Handle): MaskStore {
  return createStore(handle, DESTINATIONS);
}

/** Stores the labels of customers' own vendor keys. */
export function createLabelStore(handle: Handle): MaskStore {
  return createStore(handle, CREDENTIALS);
}

function createStore(handle: Handle, statements: typeof DESTINATIONS): MaskStore {
  return {
    page: (after, limit) => rowsOf(handle, MASKED_SECRET, statements.page, { after, limit }),
    replace: (masks) => run(handle, statements.replace, { masks: JSON.stringify(masks) }),
  };
}
