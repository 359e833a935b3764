/** Connects people of a directory with users of Sluice, new or existing. */
import type { Handle } from '../postgres/connection.ts';
import { type RowOf, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { storedPeople } from './membership-people.ts';
import { claims } from './membership-rules.ts';

const UNLINKED_PERSON = {
  personId: uuid,
  /** An existing member with the same address; null if a user must be created. */
  userId: text.orNull,
};
/** A living person without a user. */
export type UnlinkedPerson = RowOf<typeof UNLINKED_PERSON>;

export interface NewLink {
  personId: string;
  userId: string;
  isNew: boolean;
}

/** Links people of a directory to users. */
export function createMembershipLinkStore(handle: Handle, organizationId: string) {
  return {
    /** Returns people without a user: active ones, and inactive ones whose address an existing member has. */
    async unlinked(personIds: readonly string[]): Promise<UnlinkedPerson[]> {
      const source = storedPeople({ personIds });
      return rowsOf(
        handle,
        UNLINKED_PERSON,
        `with ${source.people}, ${source.rivals}, ${claims(source)}
         select p.person_id "personId", c.user_id "userId" from people p left join claims c on c.key = p.key
         where p.living and p.user_id is null and (p.active or c.user_id is not null)`,
        { organizationId, personIds, sparesHeld: true },
      );
    },

    /** Links people to users. Creates the new users, and unlinks existing ones from hidden people. */
    async link(links: readonly NewLink[]): Promise<void> {
      await run(
        handle,
        `with given as (
           select * from jsonb_to_recordset(cast(:links as jsonb)) t ("personId" uuid, "userId" text, "isNew" boolean)
         ),
         created as (
           insert into users (id, email, first_name, last_name)
           select g."userId", p.email, p.given_name, p.family_name
           from given g join directory_people p on p.id = g."personId" where g."isNew"
         ),
         unlinked as (
           update directory_people h set user_id = null, removal_held_at = null
           from given g where not g."isNew" and h.user_id = g."userId" and h.deleted_at is not null
         )
         update directory_people p set user_id = g."userId" from given g where p.id = g."personId"`,
        { links: JSON.stringify(links) },
      );
    },
  };
}
