/** A value of a SCIM attribute, as parsed from JSON. */
export type ScimValue = string | number | boolean | null | ScimValue[] | { [name: string]: ScimValue };

/** The attributes of a SCIM resource under the names of its schema, without `id`, `meta` and `schemas`. */
export interface ScimAttributes {
  [name: string]: ScimValue;
}

/** The facts about a person on which membership depends. */
export interface PersonFacts {
  externalId: string | null;
  userName: string;
  /** The address by which members are recognized. */
  email: string;
  givenName: string | null;
  familyName: string | null;
  active: boolean;
}

/** A person of a directory, with all attributes. */
export interface DirectoryPerson extends PersonFacts {
  /** The SCIM id. */
  id: string;
  organizationId: string;
  /** The user account of the person; null while the person is no member. */
  userId: string | null;
  /** The id at a pulled source. */
  sourceId: string | null;
  resource: ScimAttributes;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}
