/** Removes absent fields from a request, and rejects updates that change nothing. */
import { AppError } from '../../../domain/errors.ts';

type Defined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

/** Removes keys whose value is undefined. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}

/** Rejects an update that changes nothing. */
export function requireUpdateFields<Changes extends object>(changes: Changes): Changes {
  if (Object.keys(changes).length > 0) return changes;
  throw new AppError('no_update_fields');
}
