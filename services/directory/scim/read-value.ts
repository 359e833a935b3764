/** Validates single values of SCIM attributes against their schema, and limits their number and length. */
import type { ScimAttributes, ScimValue } from '../../../domain/directory/person.ts';
import type { ScimAttribute } from '../../../domain/directory/scim/attribute.ts';
import { findAttribute } from '../../../domain/directory/scim/attribute-path.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { AppError } from '../../../domain/errors.ts';

/** Defines how strictly values are read. */
export interface Reading {
  /** True to leave out values that break a rule instead of refusing them. */
  lenient: boolean;
}

export const STRICT: Reading = { lenient: false };

/** The attributes with an index; an index of Postgres accepts about 2,700 bytes a row. */
const INDEXED = new Set(['userName', 'externalId', 'displayName', 'emails.value', 'members.value']);
const MAX_INDEXED_CHARACTERS = 1_024;
const MAX_INDEXED_BYTES = 2_400;
const MAX_VALUES = 500;

/**
 * Returns a value as its schema defines it; undefined for an empty one. `name` is the attribute's full name: messages
 * show it, and it selects the limits of `INDEXED`.
 */
export function readValue(
  attribute: ScimAttribute,
  raw: unknown,
  name: string,
  reading: Reading,
): ScimValue | undefined {
  if (raw === null || raw === undefined) return undefined;
  if (attribute.multiValued) return readValues(attribute, raw, name, reading);
  return readOne(attribute, raw, name, reading);
}

/** Returns one value; for a multi-valued attribute, one of its values. */
export function readOne(
  attribute: ScimAttribute,
  raw: unknown,
  name: string,
  reading: Reading,
): ScimValue | undefined {
  switch (attribute.type) {
    case 'boolean':
      return readBoolean(raw, name);
    case 'complex':
      return readComplex(attribute, raw, name, reading);
    default:
      return readText(raw, name);
  }
}

/** Returns undefined for a refused value, if the reading is lenient. */
export function catchRefusal<Value>(reading: Reading, read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (reading.lenient && error instanceof AppError) return undefined;
    throw error;
  }
}

export function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

/**
 * Returns text that Postgres can store and index. Refuses NUL characters, halves of surrogate pairs, and indexed text
 * that is too long.
 */
export function readText(raw: unknown, name: string): string {
  if (typeof raw !== 'string') throw refuse('invalidValue', `${name} must be a string.`);
  if (raw.includes('\0') || !raw.isWellFormed()) {
    throw refuse('invalidValue', `${name} must not contain NUL characters or invalid Unicode.`);
  }
  if (INDEXED.has(name) && raw.length > MAX_INDEXED_CHARACTERS) {
    throw refuse('invalidValue', `${name} must not have more than ${MAX_INDEXED_CHARACTERS} characters.`);
  }
  if (INDEXED.has(name) && Buffer.byteLength(raw) > MAX_INDEXED_BYTES) {
    throw refuse('invalidValue', `${name} must not have more than ${MAX_INDEXED_BYTES} bytes.`);
  }
  return raw;
}

/** Refuses more than MAX_VALUES values, because comparing them would be slow. */
export function checkNumberOfValues(values: readonly unknown[], name: string): void {
  if (values.length > MAX_VALUES) {
    throw refuse('tooMany', `${name} must not have more than ${MAX_VALUES} values.`);
  }
}

function readValues(
  attribute: ScimAttribute,
  raw: unknown,
  name: string,
  reading: Reading,
): ScimValue[] | undefined {
  if (!Array.isArray(raw) && !isObject(raw)) throw refuse('invalidValue', `${name} must be an array.`);
  const given: unknown[] = Array.isArray(raw) ? raw : [raw];
  checkNumberOfValues(given, name);
  const values = given.flatMap((one) => {
    const value = catchRefusal(reading, () => readOne(attribute, one, name, reading));
    return value === undefined ? [] : [value];
  });
  return values.length === 0 ? undefined : onePrimary(values, name, reading);
}

function readBoolean(raw: unknown, name: string): boolean {
  if (typeof raw === 'boolean') return raw;
  // Entra ID sends "True" and "False".
  const literal = typeof raw === 'string' ? raw.toLowerCase() : undefined;
  if (literal !== 'true' && literal !== 'false')
    throw refuse('invalidValue', `${name} must be true or false.`);
  return literal === 'true';
}

function readComplex(
  attribute: ScimAttribute,
  raw: unknown,
  name: string,
  reading: Reading,
): ScimAttributes | undefined {
  const given = findAttribute(attribute.subAttributes, 'value') && asValue(raw);
  const object = given ?? raw;
  if (!isObject(object)) throw refuse('invalidValue', `${name} must be an object.`);
  const result: ScimAttributes = {};
  for (const [key, one] of Object.entries(object)) {
    const sub = findAttribute(attribute.subAttributes, key);
    if (sub === undefined || sub.mutability === 'readOnly') continue;
    const value = catchRefusal(reading, () => readValue(sub, one, `${name}.${sub.name}`, reading));
    if (value !== undefined) result[sub.name] = value;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

/** Returns a bare string as an object. Entra ID sends the manager as a string; an empty one stands for no manager. */
function asValue(raw: unknown): Record<string, unknown> | undefined {
  if (typeof raw !== 'string') return undefined;
  return raw === '' ? {} : { value: raw };
}

function onePrimary(values: ScimValue[], name: string, reading: Reading): ScimValue[] {
  const isPrimary = (value: ScimValue): boolean => isObject(value) && value['primary'] === true;
  const first = values.findIndex(isPrimary);
  const others = values.filter((value, index) => index > first && isPrimary(value));
  if (first === -1 || others.length === 0) return values;
  if (!reading.lenient) throw refuse('invalidValue', `At most one of ${name} may be primary.`);
  for (const other of others) if (isObject(other)) other['primary'] = false;
  return values;
}
