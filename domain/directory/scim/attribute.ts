/** The resource types of the SCIM server. */
export type ScimResourceType = 'User' | 'Group';

/** Describes one attribute of a SCIM schema, under the names of RFC 7643, section 7. */
export interface ScimAttribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'binary' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable';
  readonly returned: 'always' | 'default';
  readonly uniqueness: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly ScimAttribute[];
}

type Deviations = Partial<Omit<ScimAttribute, 'name' | 'type' | 'description'>>;

const PLAIN = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const;

/** Returns a plain text attribute: single-valued, optional, writable, case-insensitive. */
export function text(name: string, description: string, deviations: Deviations = {}): ScimAttribute {
  return { name, type: 'string', description, ...PLAIN, ...deviations };
}

export function boolean(name: string, description: string): ScimAttribute {
  return { name, type: 'boolean', description, ...PLAIN };
}

export function dateTime(name: string, description: string, deviations: Deviations = {}): ScimAttribute {
  return { name, type: 'dateTime', description, ...PLAIN, ...deviations };
}

/** Returns an attribute that holds a URI, which is case-sensitive. */
export function reference(
  name: string,
  description: string,
  referenceTypes: readonly string[],
  deviations: Deviations = {},
): ScimAttribute {
  return { name, type: 'reference', description, ...PLAIN, caseExact: true, referenceTypes, ...deviations };
}

export function binary(name: string, description: string): ScimAttribute {
  return { name, type: 'binary', description, ...PLAIN, caseExact: true };
}

export function complex(
  name: string,
  description: string,
  subAttributes: readonly ScimAttribute[],
  deviations: Deviations = {},
): ScimAttribute {
  return { name, type: 'complex', description, ...PLAIN, ...deviations, subAttributes };
}

/** Returns an attribute with many values, each with `value`, `display`, `type` and `primary`. */
export function plural(
  name: string,
  description: string,
  value: ScimAttribute,
  canonicalValues?: readonly string[],
): ScimAttribute {
  const type = text('type', 'Says what the value is used for.', canonicalValues && { canonicalValues });
  return complex(
    name,
    description,
    [
      value,
      text('display', 'The value as people read it.'),
      type,
      boolean('primary', 'Whether this is the preferred value; at most one is.'),
    ],
    { multiValued: true },
  );
}
