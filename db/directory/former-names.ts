/**
 * Returns SQL that stores the names which people `d` lose, for use in the statement that replaces them. `userName` and
 * `externalId` are SQL expressions of the new names. A user name that equals the person's own id is not stored: it is a
 * placeholder while people exchange names.
 */
export function rememberNames(names: { from: string; userName: string; externalId: string }): string {
  return `
    insert into directory_former_names (person_id, name)
    select d.id, former.name from ${names.from}
    cross join lateral (values
      (d.user_name, lower(d.user_name) <> lower(${names.userName})),
      (d.external_id, d.external_id is distinct from ${names.externalId})) former (name, is_replaced)
    where former.is_replaced and former.name <> d.id::text
    on conflict do nothing`;
}
